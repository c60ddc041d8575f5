<?php
/* PHP without a framework: one script for every request, and a file, for nothing else outlives a request. */

/** Requests, and in how many seconds. */
const KEYS = ['other-key' => [5000, 60], 'limited-key' => [10, 20]];

function send($status, $value)
{
    http_response_code($status);
    header('Content-Type: application/json');
    echo json_encode($value);
    exit;
}

function fail($status, $message)
{
    send($status, ['code' => "E$status", 'message' => $message, 'status' => $status]);
}

$file = fopen(getenv('PETS_FILE'), 'c+');
flock($file, LOCK_EX);
$data = json_decode(stream_get_contents($file), true) ?? ['pets' => [], 'counts' => []];

function save()
{
    global $file, $data;
    ftruncate($file, 0);
    rewind($file);
    fwrite($file, json_encode($data));
    fflush($file);
}

$key = str_replace('Bearer ', '', $_SERVER['HTTP_AUTHORIZATION'] ?? '');
if (!isset(KEYS[$key])) fail(401, 'A valid key is needed.');
[$limit, $seconds] = KEYS[$key];
$now = time();
$count = $data['counts'][$key] ?? ['used' => 0, 'reset' => 0];
if ($count['reset'] <= $now) $count = ['used' => 0, 'reset' => $now + $seconds];
$count['used']++;
$data['counts'][$key] = $count;
save();
header("X-RateLimit-Limit: $limit");
header('X-RateLimit-Remaining: ' . max(0, $limit - $count['used']));
header('X-RateLimit-Reset: ' . $count['reset']);
if ($count['used'] > $limit) {
    header('Retry-After: ' . ($count['reset'] - $now));
    fail(429, 'Too many requests.');
}

$path = parse_url($_SERVER['REQUEST_URI'], PHP_URL_PATH);
$method = $_SERVER['REQUEST_METHOD'];

if ($path === '/v1/pets' && $method === 'GET') {
    $found = $data['pets'];
    if (isset($_GET['status'])) $found = array_filter($found, fn($pet) => ($pet['status'] ?? null) === $_GET['status']);
    send(200, array_slice(array_values($found), 0, (int) ($_GET['limit'] ?? 20)));
}

if ($path === '/v1/pets' && $method === 'POST') {
    $new = json_decode(file_get_contents('php://input'), true);
    if (empty($new['name']) || !isset($new['categoryId'])) fail(400, 'name and categoryId are needed.');
    if (!is_string($new['name']) || !is_int($new['categoryId'])) fail(400, 'name is a string, categoryId an integer.');
    if (isset($new['status']) && !in_array($new['status'], ['available', 'pending', 'sold'])) fail(400, 'status');
    $pet = ['id' => count($data['pets']) + 1, 'name' => $new['name'], 'categoryId' => $new['categoryId']];
    if (isset($new['status'])) $pet['status'] = $new['status'];
    $data['pets'][] = $pet;
    save();
    send(201, $pet);
}

if (preg_match('#^/v1/pets/(\d+)$#', $path, $matches) && $method === 'GET') {
    foreach ($data['pets'] as $pet) if ($pet['id'] === (int) $matches[1]) send(200, $pet);
}
fail(404, 'There is nothing here.');
