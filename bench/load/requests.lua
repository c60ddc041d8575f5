-- Replays a file of requests (one a line: METHOD <tab> TARGET <tab> BODY) in a loop. They are formatted before the run,
-- so that the generator only sends. wrk repeats a single request by itself, which costs even less. Prints one line of
-- JSON at the end.
function init(args)
  local ready, shared = {}, wrk.headers
  for line in io.lines(args[1]) do
    local method, target, body = line:match("^(%u+)\t([^\t]+)\t(.*)$")
    if #ready == 0 then wrk.method, wrk.path = method, target end
    local headers = {}
    for name, value in pairs(shared) do headers[name] = value end
    if body ~= "" then headers["Content-Type"] = "application/json" end
    ready[#ready + 1] = wrk.format(method, target, headers, body ~= "" and body or nil)
  end
  local count, next = #ready, 0
  if count == 1 then return end
  function request()
    next = next % count + 1
    return ready[next]
  end
end

function done(summary)
  local errors = summary.errors
  io.write(string.format('\n{"requests":%d,"seconds":%.6f,"badStatus":%d,"socketErrors":%d}\n', summary.requests,
    summary.duration / 1e6, errors.status, errors.connect + errors.read + errors.write + errors.timeout))
end
