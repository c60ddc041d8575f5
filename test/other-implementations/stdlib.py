"""Python's standard library alone: http.server and json."""
import json
import math
import sys
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, urlsplit

STATUSES = ("available", "pending", "sold")
# Requests, and in how many seconds.
KEYS = {"other-key": (5000, 60), "limited-key": (10, 20)}

pets = []
counts = {}


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self):
        if not self.admit():
            return
        url = urlsplit(self.path)
        query = parse_qs(url.query)
        if url.path == "/v1/pets":
            status = query.get("status", [None])[0]
            found = [pet for pet in pets if status in (None, pet.get("status"))]
            self.send(200, found[: int(query.get("limit", [20])[0])])
        elif url.path.startswith("/v1/pets/"):
            pet_id = url.path.removeprefix("/v1/pets/")
            found = [pet for pet in pets if str(pet["id"]) == pet_id]
            self.send(200, found[0]) if found else self.fail(404, "There is no such animal.")
        else:
            self.fail(404, "There is nothing at this path.")

    def do_POST(self):
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        if not self.admit():
            return
        try:
            new = json.loads(body)
            pet = {"id": len(pets) + 1, "name": new["name"], "categoryId": new["categoryId"]}
            if "status" in new:
                pet["status"] = new["status"]
        except (ValueError, KeyError, TypeError):
            return self.fail(400, "name and categoryId are needed.")
        if not isinstance(pet["name"], str) or not isinstance(pet["categoryId"], int):
            return self.fail(400, "name is a string, and categoryId an integer.")
        if pet.get("status", "sold") not in STATUSES:
            return self.fail(400, "status is none of the three.")
        pets.append(pet)
        self.send(201, pet)

    def admit(self):
        self.limits = {}
        key = self.headers.get("Authorization", "").removeprefix("Bearer ")
        if key not in KEYS:
            self.fail(401, "A valid key is needed.")
            return False
        limit, seconds = KEYS[key]
        now = time.time()
        used, reset = counts.get(key, (0, 0))
        if reset <= now:
            used, reset = 0, math.ceil(now) + seconds
        counts[key] = (used + 1, reset)
        self.limits = {
            "X-RateLimit-Limit": limit,
            "X-RateLimit-Remaining": max(0, limit - used - 1),
            "X-RateLimit-Reset": reset,
        }
        if used >= limit:
            self.limits["Retry-After"] = math.ceil(reset - now)
            self.fail(429, "Too many requests.")
            return False
        return True

    def fail(self, status, message):
        self.send(status, {"code": f"E{status}", "message": message, "status": status})

    def send(self, status, value):
        body = json.dumps(value).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        for name, number in self.limits.items():
            self.send_header(name, str(number))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1])), Handler).serve_forever()
