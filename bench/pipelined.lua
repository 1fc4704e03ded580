-- Sixteen requests in each write; the responses are counted one by one.
local depth = 16

function init()
  local batch = string.rep(wrk.format(), depth)
  request = function() return batch end
end
