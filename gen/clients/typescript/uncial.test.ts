// Tests of the client against the mock, whose keys and images cause every error: UNCIAL_URL names it.
import assert from "node:assert/strict";
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

test("extract and status", async () => {
  const c = client();
  const result = await c.extract("http://mock.invalid/difficult", { language: "de-Latf", enhance: true, format: "alto" });
  assert.match(result.document ?? "", /<alto/);
  assert((result.edits ?? []).length > 0);
  assert.equal((await c.status()).pointsUsed, result.pointsUsed);
});

test("weak places", async () => {
  const weak = (await client().extract("http://mock.invalid/weak")).weak ?? [];
  assert.equal(weak[0]?.reason, "unread-ink");
  assert(weak.slice(1).every((place) => place.text && place.box.width > 0));
});

test("every error is a code", async () => {
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

test("what is retryable is retried, after the time stated", async () => {
  const waits: number[] = [];
  const sleep = async (ms: number) => void waits.push(ms);
  const busy = await failure(client("ok", { sleep, patience: 3_600_000 }).extract("http://mock.invalid/fetch-busy"));
  assert.deepEqual(waits, Array(2).fill(1000 * (busy.retryAfter ?? 0)));
  waits.length = 0;
  await failure(client("ok", { sleep }).extract("http://mock.invalid/fetch-not-found"));
  assert.deepEqual(waits, []);
});

test("network faults are charged once", async () => {
  for (const fault of ["reset", "cut", "length", "drip-3000", "late-3000"]) {
    const c = client("ok", { timeout: 1000 });
    const result = await c.extract(`http://mock.invalid/${fault}`);
    assert.equal((await c.status()).pointsUsed, result.pointsUsed, fault);
  }
  await assert.rejects(client("cut").extract("http://mock.invalid/printed", { idempotencyKey: "page-1" }), (e) => e instanceof NoAnswer && e.idempotencyKey === "page-1");
});

test("extractAll", async () => {
  const seen: Progress[] = [];
  const images = ["http://mock.invalid/printed", "http://mock.invalid/not-an-image", "http://mock.invalid/blank"];
  const results = [];
  for await (const r of client().extractAll(images, {}, (p) => seen.push(p))) results.push(r);
  assert(results[1]?.[1] instanceof ApiError);
  assert.deepEqual(seen.at(-1), { done: 2, failed: 1, total: 3, pointsUsed: 20 });
});

test("bytes, wrong arguments and an early end", async () => {
  assert.equal((await failure(client().extract(new TextEncoder().encode("no image")))).status, 400);
  assert.throws(() => new Client("ftp://host", { key: "k" }), TypeError);
  assert.throws(() => new Client(url, { key: "" }), TypeError);
  await assert.rejects(client("slow").extract("http://mock.invalid/printed", { signal: AbortSignal.timeout(50) }), { name: "TimeoutError" });
});
