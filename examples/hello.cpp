// The smallest server: ./hello, then curl http://127.0.0.1:8080/
#include "actors/server.hpp"

int main(int argc, char** argv) {
  bulkhead::server server({.listen = {argc > 1 ? argv[1] : "127.0.0.1:8080"}});
  server.get("/",
             [](const bulkhead::request&) { return bulkhead::response::text("Hello, world!\n"); });
  server.run();
}
