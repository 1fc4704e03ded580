-- Posts 1 KiB. wrk.format() adds its Content-Length.
wrk.method = "POST"
wrk.body = string.rep("x", 1024)
