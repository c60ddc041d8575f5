-- The workloads: wrk -s requests.lua URL -- WORKLOAD SEED ANIMALS. The requests of a seed are always the same, and are
-- formatted before the run, so that wrk only sends them. Prints one line of JSON at the end.
local STATUSES = { "available", "pending", "sold" }
-- More than a run sends, so that the list is never replayed from its start.
local MANY = 262144

local draws = {}
function draws.list20() return "GET", "/v1/pets?limit=20&status=available" end
function draws.get(animals) return "GET", "/v1/pets/" .. math.random(animals) end
function draws.create()
  local body = '{"name":"Newcomer %d","categoryId":%d,"status":"%s"}'
  return "POST", "/v1/pets", body:format(math.random(1000000), math.random(40), STATUSES[math.random(3)])
end
function draws.mix(animals)
  local share = math.random()
  return draws[share < 0.9 and "list20" or share < 0.98 and "get" or "create"](animals)
end

function init(args)
  local name, ready, next = args[1], {}, 0
  math.randomseed(tonumber(args[2]))
  local plain, typed = wrk.headers, { ["Content-Type"] = "application/json" }
  for header, value in pairs(plain) do typed[header] = value end
  for n = 1, name == "list20" and 1 or MANY do
    local method, path, body = draws[name](tonumber(args[3]))
    ready[n] = wrk.format(method, path, body and typed or plain, body)
  end
  function request()
    next = next % #ready + 1
    return ready[next]
  end
end

function done(summary, latency)
  local errors = summary.errors
  io.write(string.format('\n{"requests":%d,"seconds":%.6f,"p50Ms":%.3f,"p99Ms":%.3f,"errors":%d}\n', summary.requests,
    summary.duration / 1e6, latency:percentile(50) / 1e3, latency:percentile(99) / 1e3,
    errors.status + errors.connect + errors.read + errors.write + errors.timeout))
end
