#include "actors/admin.hpp"

#include <utility>

namespace bulkhead::actors {

namespace {

config small() {
  config settings;
  settings.threads = 1;
  settings.spare_threads_max = 8;
  settings.sessions_max = 64;
  settings.limits.content_bytes_max = 1024;
  return settings;
}

response current(response answer) {
  answer.set("Cache-Control", "no-store");
  return answer;
}

response verdict(const std::function<std::string()>& fault) {
  const auto what = fault ? fault() : std::string();
  return current(what.empty() ? response::text("ok\n") : response::text(what + "\n", 503));
}

}  // namespace

admin::admin(listener on, admin_sources sources) : server_(small()) {
  server_.get("/metrics", [figures = std::move(sources.figures)](const request&) {
    auto answer = response::text(render(figures()));
    answer.set("Content-Type", metrics_content_type);
    return current(std::move(answer));
  });
  server_.get("/healthz",
              [live = std::move(sources.live)](const request&) { return verdict(live); });
  server_.get("/handlers", [handlers = std::move(sources.handlers)](const request&) {
    return current(response::json(handlers ? handlers() : "[]\n"));
  });
  server_.get("/readyz",
              [ready = std::move(sources.ready)](const request&) { return verdict(ready); });
  listening sockets;
  sockets.service.push_back(std::move(on));
  server_.start(std::move(sockets));
}

}  // namespace bulkhead::actors
