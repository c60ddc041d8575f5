"""A client written by hand with the standard library alone, and its driver for the judge of clients."""
import email.utils, http.client, json, os, random, re, sys, time
from decimal import Decimal
from urllib.parse import urlencode, urlsplit

BASE = urlsplit(os.environ["PETS_URL"])
KEY = os.environ["PETS_KEY"]
ATTEMPTS = 3


class Failed(Exception):
    def __init__(self, message, unknown=False):
        super().__init__(message.replace(KEY, "<key>"))
        self.unknown = unknown


def number(text):
    """7.0 and 9.223372036854775807e18 are integers, and a float would lose digits."""
    value = Decimal(text)
    return int(value) if value == value.to_integral_value() else float(value)


def seconds(date):
    try:
        return email.utils.parsedate_to_datetime(date).timestamp()
    except (TypeError, ValueError):
        return None


class Client:
    def __init__(self):
        self.not_before = 0.0
        self.warned = set()

    def send(self, operation, method, path, expected, body=None):
        failures = 0
        while True:
            time.sleep(max(0.0, self.not_before - time.monotonic()))
            try:
                status, headers, text = self.once(method, path, body)
            except ConnectionRefusedError as error:
                problem, unknown, again, wait = str(error), False, True, None
            except (OSError, http.client.HTTPException) as error:
                problem, unknown, again, wait = f"the connection failed: {error}", method == "POST", method == "GET", None
            else:
                self.note(headers)
                if status == expected:
                    try:
                        return json.loads(text, parse_float=number), headers, self.warning(operation, headers)
                    except ValueError:
                        raise Failed("the answer is not JSON", method == "POST") from None
                problem = f"{status}: {self.message(text)}"
                again = status == 429 or (status in (500, 502, 503, 504) and method == "GET")
                unknown = method == "POST" and status != 501 and (status >= 500 or status < 400)
                wait = self.asked(headers)
            failures += 1
            if not again or failures == ATTEMPTS or (wait or 0) > 60:
                raise Failed(problem, unknown)
            span = 0.5 * 2**failures
            self.not_before = max(self.not_before, time.monotonic() + max(wait or 0, span) + random.uniform(0, span / 2))

    def once(self, method, path, body):
        kind = http.client.HTTPSConnection if BASE.scheme == "https" else http.client.HTTPConnection
        connection = kind(BASE.netloc, timeout=30)
        headers = {"Authorization": f"Bearer {KEY}", "Accept": "application/json"}
        if body is not None:
            headers["Content-Type"] = "application/json"
        try:
            # A redirect is not followed: the key is for this host alone.
            connection.request(method, BASE.path + path, body and json.dumps(body), headers)
            answer = connection.getresponse()
            return answer.status, answer.headers, answer.read()
        finally:
            connection.close()

    def note(self, headers):
        """With nothing remaining, the next request waits for the reset, by the clock of the service."""
        now = seconds(headers.get("Date")) or time.time()
        if headers.get("X-RateLimit-Remaining") == "0" and headers.get("X-RateLimit-Reset", "").isdigit():
            wait = int(headers["X-RateLimit-Reset"]) - now
            self.not_before = max(self.not_before, time.monotonic() + wait)

    def asked(self, headers):
        text = headers.get("Retry-After") or ""
        if re.fullmatch(r"[0-9]+", text):
            return int(text)
        at = seconds(text)
        return at and at - (seconds(headers.get("Date")) or time.time())

    def warning(self, operation, headers):
        if "Sunset" not in headers or operation in self.warned:
            return None
        self.warned.add(operation)
        return f"{operation} ends on {headers['Sunset']}"

    def message(self, text):
        try:
            return json.loads(text)["message"]
        except (ValueError, KeyError, TypeError):
            return "a page of somebody else"

    def list(self, **query):
        return self.pets(*self.send("list", "GET", "/pets?" + urlencode(query), 200))

    def pets(self, pets, headers, warning):
        if not isinstance(pets, list):
            raise Failed("the answer is no list")
        return pets, headers, warning

    def create(self, **pet):
        return self.send("create", "POST", "/pets", 201, pet)

    def get(self, petId):
        return self.send("get", "GET", f"/pets/{petId}", 200)

    def all(self):
        pets, query, seen = [], "?limit=100", set()
        while query and query not in seen:
            seen.add(query)
            page, headers, warning = self.pets(*self.send("list", "GET", "/pets" + query, 200))
            pets += page
            # Of the link only the query: it may name another host.
            found = re.search(r'<[^>?]*(\?[^>]*)>;\s*rel="?next', headers.get("Link") or "")
            query = found and found[1]
        return pets, None, None


client = Client()
for line in sys.stdin:
    call = json.loads(line)
    answer = {"id": call.pop("id")}
    try:
        answer["result"], _, warning = getattr(client, call.pop("call"))(**call)
        if warning:
            answer["warning"] = warning
    except Failed as error:
        answer |= {"error": str(error), "unknown": error.unknown}
    print(json.dumps(answer), flush=True)
