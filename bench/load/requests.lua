-- Replays a file of requests (one a line: METHOD <tab> TARGET <tab> BODY) round and round, made ready before the clock
-- starts, so that the generator spends its core on sending. With a single request wrk repeats it by itself, which is
-- cheaper still. Prints one line of JSON at the end.
function init(args)
  local ready = {}
  for line in io.lines(args[1]) do
    local method, target, body = line:match("^(%u+)\t([^\t]+)\t(.*)$")
    if body == "" then
      ready[#ready + 1] = { method, target }
    else
      ready[#ready + 1] = { method, target, { ["Content-Type"] = "application/json" }, body }
    end
  end
  if #ready == 1 then
    wrk.method, wrk.path = ready[1][1], ready[1][2]
    return
  end
  local shared = wrk.headers
  for i = 1, #ready do
    local method, target, headers, body = unpack(ready[i])
    if headers then
      for name, value in pairs(shared) do headers[name] = value end
    end
    ready[i] = wrk.format(method, target, headers, body)
  end
  local count, next = #ready, 0
  function request()
    next = next % count + 1
    return ready[next]
  end
end

function done(summary)
  local errors = summary.errors
  io.write(string.format(
    '\n{"requests":%d,"seconds":%.6f,"badStatus":%d,"socketErrors":%d}\n',
    summary.requests, summary.duration / 1e6, errors.status,
    errors.connect + errors.read + errors.write + errors.timeout))
end
