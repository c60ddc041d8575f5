// A client written by hand with Go's standard library alone, and its driver for the judge of clients: go run driver.go
package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand"
	"net/http"
	"net/url"
	"os"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"
)

var base, key = os.Getenv("PETS_URL"), os.Getenv("PETS_KEY")
var next = regexp.MustCompile(`<[^>?]*(\?[^>]*)>;\s*rel="?next`)

const attempts, longest = 4, time.Minute

type failure struct {
	message string
	unknown bool // the animal may have been added all the same
}

func (f failure) Error() string { return strings.ReplaceAll(f.message, key, "<key>") }

type client struct {
	turn      sync.Mutex // one request at a time, so that none is sent while another waits
	notBefore time.Time
	warned    map[string]bool
	http      http.Client
}

type answer struct {
	value   any
	header  http.Header
	warning string
}

func (c *client) send(operation, method, path string, expected int, body []byte) (answer, error) {
	c.turn.Lock()
	defer c.turn.Unlock()
	for failures := 1; ; failures++ {
		time.Sleep(time.Until(c.notBefore))
		status, header, text, err := c.once(method, path, body)
		problem, unknown, again, wait := failure{}, false, false, time.Duration(0)
		if err != nil {
			refused := errors.Is(err, syscall.ECONNREFUSED)
			problem.message, unknown, again = err.Error(), method == "POST" && !refused, method == "GET" || refused
		} else {
			c.note(header)
			var value any
			decoder := json.NewDecoder(bytes.NewReader(text))
			decoder.UseNumber() // a float64 would lose digits
			isJSON := decoder.Decode(&value) == nil
			if status == expected && isJSON {
				return answer{value, header, c.warning(operation, header)}, nil
			}
			problem.message = strconv.Itoa(status) + ": a page of somebody else"
			if object, ok := value.(map[string]any); ok && isJSON {
				problem.message = fmt.Sprint(status, ": ", object["message"])
			}
			again = status == 429 || method == "GET" && (status >= 502 && status <= 504)
			unknown = method == "POST" && (status >= 500 || status < 400)
			wait = asked(header)
		}
		if problem.unknown = unknown; !again || failures == attempts || wait > longest {
			return answer{}, problem
		}
		span := time.Second / 4 << failures
		if wait < span {
			wait = span
		}
		c.until(time.Now().Add(wait + time.Duration(rand.Int63n(int64(span)/2))))
	}
}

func (c *client) until(at time.Time) {
	if at.After(c.notBefore) {
		c.notBefore = at
	}
}

func (c *client) once(method, path string, body []byte) (int, http.Header, []byte, error) {
	request, err := http.NewRequest(method, base+path, bytes.NewReader(body))
	if err != nil {
		return 0, nil, nil, err
	}
	request.Header.Set("Authorization", "Bearer "+key)
	if body != nil {
		request.Header.Set("Content-Type", "application/json")
		request.GetBody = nil // so that the transport does not send it twice
	}
	response, err := c.http.Do(request)
	if err != nil {
		return 0, nil, nil, err
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	return response.StatusCode, response.Header, text, err
}

// With nothing remaining, the next request waits for the reset, by the clock of the service.
func (c *client) note(header http.Header) {
	reset, err := strconv.ParseInt(header.Get("X-RateLimit-Reset"), 10, 64)
	if header.Get("X-RateLimit-Remaining") == "0" && err == nil {
		c.until(time.Now().Add(time.Unix(reset, 0).Sub(now(header))))
	}
}

func now(header http.Header) time.Time {
	if at, err := http.ParseTime(header.Get("Date")); err == nil {
		return at
	}
	return time.Now()
}

func asked(header http.Header) time.Duration {
	text := header.Get("Retry-After")
	if seconds, err := strconv.Atoi(text); err == nil {
		return time.Duration(seconds) * time.Second
	}
	if at, err := http.ParseTime(text); err == nil {
		return at.Sub(now(header))
	}
	return 0
}

func (c *client) warning(operation string, header http.Header) string {
	if sunset := header.Get("Sunset"); sunset != "" && !c.warned[operation] {
		c.warned[operation] = true
		return operation + " ends on " + sunset
	}
	return ""
}

func (c *client) list(query string) (answer, error) {
	got, err := c.send("list", "GET", "/pets?"+query, 200, nil)
	if _, ok := got.value.([]any); err == nil && !ok {
		return got, failure{message: "the answer is no list"}
	}
	return got, err
}

func (c *client) all() (answer, error) {
	pets, seen := []any{}, map[string]bool{}
	for query := "limit=100"; query != "" && !seen[query]; {
		seen[query] = true
		got, err := c.list(query)
		if err != nil {
			return got, err
		}
		pets = append(pets, got.value.([]any)...)
		// Of the link only the query: it may name another host.
		query = ""
		if found := next.FindStringSubmatch(got.header.Get("Link")); found != nil {
			query = found[1][1:]
		}
	}
	return answer{value: pets}, nil
}

type call struct {
	ID     json.Number
	Call   string
	PetID  json.Number `json:"petId"`
	Name   string
	Status string
	Limit  json.Number

	CategoryID json.Number `json:"categoryId"`
}

func (c *client) carryOut(asked call) (answer, error) {
	switch asked.Call {
	case "list":
		query := url.Values{}
		if asked.Status != "" {
			query.Set("status", asked.Status)
		}
		if asked.Limit != "" {
			query.Set("limit", asked.Limit.String())
		}
		return c.list(query.Encode())
	case "get":
		return c.send("get", "GET", "/pets/"+asked.PetID.String(), 200, nil)
	case "create":
		pet := map[string]any{"name": asked.Name, "categoryId": asked.CategoryID}
		if asked.Status != "" {
			pet["status"] = asked.Status
		}
		body, _ := json.Marshal(pet)
		return c.send("create", "POST", "/pets", 201, body)
	}
	return c.all()
}

func main() {
	c := &client{warned: map[string]bool{}}
	c.http.Timeout = 30 * time.Second
	// A redirect is not followed: the key is for this host alone.
	c.http.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	var output sync.Mutex
	lines := bufio.NewScanner(os.Stdin)
	for lines.Scan() {
		var asked call
		json.Unmarshal(lines.Bytes(), &asked)
		go func() {
			got, err := c.carryOut(asked)
			told := map[string]any{"id": asked.ID, "result": got.value}
			if got.warning != "" {
				told["warning"] = got.warning
			}
			if err != nil {
				failed, _ := err.(failure)
				told = map[string]any{"id": asked.ID, "error": failed.Error(), "unknown": failed.unknown}
			}
			line, _ := json.Marshal(told)
			output.Lock()
			fmt.Println(string(line))
			output.Unlock()
		}()
	}
}
