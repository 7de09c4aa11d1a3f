// Tests of the client against the mock, whose keys and images cause every error: UNCIAL_URL names it.
import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { test } from "node:test";
import { ApiError, Client, NoAnswer, type ErrorBody, type Options, type Progress } from "./uncial.js";

const url = process.env["UNCIAL_URL"];
assert(url, "UNCIAL_URL is where the mock is");

let clients = 0;
const client = (key = "ok", options: Partial<Options> = {}) =>
  new Client(url, { key: `ocr_test_${key}_ts${++clients}`, attempts: 3, patience: 1000, sleep: async () => {}, ...options });

const failure = async (call: Promise<unknown>): Promise<ApiError> => {
  try {
    await call;
  } catch (e) {
    assert(e instanceof ApiError, String(e));
    return e;
  }
  return assert.fail("the call succeeded");
};

test("extracts a text and reads the status", async () => {
  const c = client();
  const result = await c.extract("http://mock.invalid/difficult", { language: "de-Latf", enhance: true, format: "alto" });
  assert.match(result.document ?? "", /<alto/);
  assert((result.edits ?? []).length > 0);
  assert.equal((await c.status()).pointsUsed, result.pointsUsed);
});

test("lists weak places", async () => {
  const weak = (await client().extract("http://mock.invalid/weak")).weak ?? [];
  assert.equal(weak[0]?.reason, "unread-ink");
  assert(weak.slice(1).every((place) => place.text && place.box.width > 0));
});

test("reports every error by its code", async () => {
  const codes: [string, string, ErrorBody["code"]][] = [
    ["ok", "http://mock.invalid/400", "INVALID_REQUEST"],
    ["expired", "http://mock.invalid/printed", "INVALID_API_KEY"],
    ["empty", "http://mock.invalid/printed", "INSUFFICIENT_POINTS"],
    ["ratelimited", "http://mock.invalid/printed", "RATE_LIMITED"],
    ["err", "http://mock.invalid/printed", "SERVER_ERROR"],
  ];
  for (const [key, image, code] of codes) assert.equal((await failure(client(key).extract(image))).body.code, code);
  const broke = await failure(client("empty").extract("http://mock.invalid/printed"));
  assert(broke.body.code === "INSUFFICIENT_POINTS" && broke.body.nextReset !== undefined);
});

test("retries what is retryable, after the stated time", async () => {
  const waits: number[] = [];
  const sleep = async (ms: number) => void waits.push(ms);
  const busy = await failure(client("ok", { sleep, patience: 3_600_000 }).extract("http://mock.invalid/fetch-busy"));
  assert.deepEqual(waits, Array(2).fill(1000 * (busy.retryAfter ?? 0)));
  waits.length = 0;
  await failure(client("ok", { sleep }).extract("http://mock.invalid/fetch-not-found"));
  assert.deepEqual(waits, []);
});

test("pays once despite network faults", async () => {
  for (const fault of ["reset", "cut", "length", "drip-3000", "late-3000"]) {
    const c = client("ok", { timeout: 1000 });
    const result = await c.extract(`http://mock.invalid/${fault}`);
    assert.equal((await c.status()).pointsUsed, result.pointsUsed, fault);
  }
  await assert.rejects(client("cut").extract("http://mock.invalid/printed", { idempotencyKey: "page-1" }), (e) => e instanceof NoAnswer && e.idempotencyKey === "page-1");
});

test("reads many images, and yields each with its result or error", async () => {
  const seen: Progress[] = [];
  const images = ["http://mock.invalid/printed", "http://mock.invalid/not-an-image", "http://mock.invalid/blank"];
  const results = [];
  for await (const r of client().extractAll(images, {}, (p) => seen.push(p))) results.push(r);
  assert(results[1]?.[1] instanceof ApiError);
  assert.deepEqual(seen.at(-1), { done: 2, failed: 1, total: 3, pointsUsed: 20 });
});

test("takes bytes, refuses wrong arguments and ends early", async () => {
  assert.equal((await failure(client().extract(new TextEncoder().encode("no image")))).status, 400);
  assert.throws(() => new Client("ftp://host", { key: "k" }), TypeError);
  assert.throws(() => new Client(url, { key: "" }), TypeError);
  await assert.rejects(client("slow").extract("http://mock.invalid/printed", { signal: AbortSignal.timeout(50) }), { name: "TimeoutError" });
});

/** Calls a server that answers as told, and returns the error of the call. */
const lie = async (answer: RequestListener, options: Partial<Options> = {}, signal?: AbortSignal): Promise<unknown> => {
  const server = createServer((request, response) => request.resume().on("end", () => answer(request, response)));
  await once(server.listen(0, "127.0.0.1"), "listening");
  try {
    const c = new Client(`http://127.0.0.1:${(server.address() as AddressInfo).port}`, { key: "k", attempts: 1, ...options });
    await c.extract("https://images.example.org/1.jpg", { idempotencyKey: "page-1", ...(signal ? { signal } : {}) });
  } catch (e) {
    return e;
  } finally {
    server.closeAllConnections();
    server.close();
  }
  return assert.fail("the call succeeded");
};

test("throws NoAnswer for an answer that breaks the contract", async () => {
  const deep = "[".repeat(1_000_000) + "]".repeat(1_000_000);
  const ok = '"success": true, "confidence": 1, "pointsUsed": 10';
  const answers: [number, string][] = [
    [200, ""], [200, "5"], [200, "[1]"], [200, "null"], [200, '{"success": true}'], [200, `{"success": true, "a": ${deep}}`],
    [200, `{${ok}, "text": 5}`], [200, `{${ok}, "text": "t", "edits": 5}`], [200, `{${ok}, "text": "t", "edits": ${deep}}`],
    [200, `{${ok}, "text": "t", "weak": [{"page": 1}]}`], [400, '{"success": false}'], [400, "null"], [400, '{"success": false, "error": "e", "message": "m", "code": "INVALID_REQUEST"}'],
    [400, '{"success": false, "error": "e", "message": "m", "code": ["x"]}'],
    [400, '{"success": false, "error": "e", "message": "m", "code": "INVALID_REQUEST", "fetch": "x"}'],
  ];
  for (const [status, text] of answers) {
    const e = await lie((_, response) => response.writeHead(status).end(text));
    assert(e instanceof NoAnswer && e.idempotencyKey === "page-1", `${text.slice(0, 80)}: ${e}`);
  }
});

test("throws NoAnswer for an answer without an end", async () => {
  const flood = Buffer.alloc(1 << 20, " ");
  const large = await lie((_, response) => {
    const pour = () => void (response.destroyed || response.write(flood, pour));
    pour();
  });
  assert(large instanceof NoAnswer && /more than 128 MiB/.test(large.message), String(large));
  const slow = await lie((_, response) => {
    const drip = setInterval(() => response.write(" "), 20);
    response.on("close", () => clearInterval(drip));
  }, { timeout: 500 });
  assert(slow instanceof NoAnswer && /in time/.test(slow.message) && slow.idempotencyKey === "page-1", String(slow));
});

test("a signal ends the wait between attempts", async () => {
  const leaving = new AbortController();
  const failing: RequestListener = (_, response) => {
    response.writeHead(500, { "Retry-After": "3600" }).end('{"success": false, "error": "e", "message": "m", "code": "SERVER_ERROR"}');
    response.on("close", () => setTimeout(() => leaving.abort(new Error("left")), 200));
  };
  const e = await lie(failing, { attempts: 2, patience: 3_600_000 }, leaving.signal);
  assert.equal((e as Error).message, "left");
});
