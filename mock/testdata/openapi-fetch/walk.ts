// Walks through every status of both operations with the client that openapi-fetch makes of the contract's types.
import assert from "node:assert/strict";
import createClient from "openapi-fetch";
import type { components, paths } from "./schema.js";

const baseUrl = process.env["BASE_URL"];
assert(baseUrl, "BASE_URL is where the mock is");

type Extraction = components["schemas"]["ExtractionRequest"];

const as = (key: string) => createClient<paths>({ baseUrl, headers: { Authorization: `Bearer ${key}` } });
const extract = (key: string, body: Extraction) => as(key).POST("/extract", { body });
const status = (key: string, headers: Record<string, string> = {}) => as(key).GET("/status", { headers });

// A success: the fields are typed, the optional ones included.
const { data, error, response } = await as("ocr_test_ok").POST("/extract", {
  params: { header: { "Idempotency-Key": "walk-1" } },
  body: { imageUrl: "http://mock.invalid/difficult", language: "de-Latf", enhance: true, format: "alto" },
});
assert.equal(error, undefined);
assert(data);
const points: 10 = data.pointsUsed;
const left: number | undefined = data.remainingPoints;
assert.equal(points, 10);
assert.equal(left, 9990);
assert.equal(data.enhanced, true);
assert.match(data.document ?? "", /<alto /);
assert((data.edits ?? []).every((edit) => edit.before !== edit.after));
assert.equal(response.headers.get("RateLimit"), '"account";r=59;t=60');

// Each failure: its code is a literal type, so that a switch over it is exhaustive.
function explain(e: NonNullable<Awaited<ReturnType<typeof extract>>["error"]>): string {
  switch (e.code) {
    case "INVALID_REQUEST":
      return Object.keys(e.details).join(",");
    case "INVALID_API_KEY":
      return "key";
    case "INSUFFICIENT_POINTS":
      return `${e.remainingPoints} until ${e.nextReset}`;
    case "RATE_LIMITED":
      return `${e.remainingPoints} later`;
    case "SERVER_ERROR":
      return "server";
  }
}
for (const [key, imageUrl, code, explanation] of [
  ["ocr_test_ok", "http://mock.invalid/400", 400, "imageUrl"],
  ["ocr_test_expired", "http://mock.invalid/printed", 401, "key"],
  ["ocr_test_ok", "http://mock.invalid/402", 402, "2 until 2026-02-01T00:00:00Z"],
  ["ocr_test_ratelimited", "http://mock.invalid/printed", 429, "10000 later"],
  ["ocr_test_err", "http://mock.invalid/printed", 500, "server"],
] as const) {
  const failure = await extract(key, { imageUrl });
  assert.equal(failure.response.status, code);
  assert(failure.error);
  assert.equal(explain(failure.error), explanation);
}

const active = await status("ocr_test_ok");
assert(active.data);
assert.equal(active.data.plan, "pro");
assert.equal(active.data.pointsUsed + active.data.pointsRemaining, active.data.pointsTotal);
assert.equal(active.data.rateLimit?.remaining, active.data.rateLimitRemaining);
for (const [key, prefer, code] of [
  ["ocr_test_ok", "code=400", 400],
  ["ocr_test_revoked", "", 401],
  ["ocr_test_err", "", 500],
] as const) {
  assert.equal((await status(key, prefer ? { Prefer: prefer } : {})).response.status, code);
}

// What the contract forbids does not compile.
// @ts-expect-error imageUrl is required
await extract("ocr_test_ok", {});
// @ts-expect-error imageUrl is a string
await extract("ocr_test_ok", { imageUrl: 1 });
// @ts-expect-error a format that does not exist
await extract("ocr_test_ok", { imageUrl: "http://mock.invalid/printed", format: "docx" });

console.log("every status of both operations");
