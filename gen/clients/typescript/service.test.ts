// Tests of the client against the real service. UNCIAL_URL and UNCIAL_KEY name it, and UNCIAL_SERVICE has keys, images and damaged
// answers.
import assert from "node:assert/strict";
import { test } from "node:test";
import { ApiError, Client, type ErrorBody, type Options } from "./uncial.js";

interface Service {
  keys: Record<string, string[]>;
  image: string;
  blank: string;
  unfetchable: Record<string, string>;
  faults: string;
}

const url = process.env["UNCIAL_URL"] ?? "";
const key = process.env["UNCIAL_KEY"] ?? "";
const service = JSON.parse(process.env["UNCIAL_SERVICE"] ?? "") as Service;

const client = (options: Partial<Options> = {}, base = url) => new Client(base, { key, attempts: 2, patience: 10_000, sleep: async () => {}, ...options });
const keyOf = (scenario: string) => service.keys[scenario]?.[0] ?? assert.fail(`no key ${scenario}`);

const failure = async (call: Promise<unknown>): Promise<ApiError> => {
  try {
    await call;
  } catch (e) {
    assert(e instanceof ApiError, String(e));
    return e;
  }
  return assert.fail("the call succeeded");
};

test("extracts a text", async () => {
  const result = await client().extract(service.image, { format: "alto" });
  assert.match(result.document ?? "", /<alto/);
  assert.deepEqual((await client().extract(service.blank)).weak, []);
});

test("reports every error by its code", async () => {
  const codes: [string, ErrorBody["code"]][] = [
    ["expired", "INVALID_API_KEY"],
    ["revoked", "INVALID_API_KEY"],
    ["empty", "INSUFFICIENT_POINTS"],
  ];
  for (const [scenario, code] of codes) assert.equal((await failure(client({ key: keyOf(scenario) }).extract(service.image))).body.code, code);
  assert.equal((await failure(client().extract(service.image, { language: "tlh" }))).body.code, "INVALID_REQUEST");
  const limited = client({ key: keyOf("ratelimited"), attempts: 1 });
  const codesSeen: string[] = [];
  // More than twice the limit of ten, because a new window may begin meanwhile.
  for (let i = 0; i < 24 && !codesSeen.includes("RATE_LIMITED"); i++) codesSeen.push((await failure(limited.extract("http://10.0.0.1/page.png"))).body.code);
  assert(codesSeen.includes("RATE_LIMITED"));
});

test("reports every reason of fetch", async () => {
  const retryable = ["unreachable", "incomplete", "busy", "server-error"];
  for (const [reason, image] of Object.entries(service.unfetchable)) {
    const waits: number[] = [];
    const e = await failure(client({ sleep: async (ms) => void waits.push(ms) }).extract(image));
    assert(e.body.code === "INVALID_REQUEST", reason);
    assert.equal(e.body.fetch?.reason, reason);
    assert.equal(waits.length, retryable.includes(reason) ? 1 : 0, reason);
  }
});

test("pays once despite damaged answers", async () => {
  for (const fault of ["reset", "cut", "length"]) {
    const before = (await client().status()).pointsUsed;
    const result = await client({}, `${service.faults}/${fault}/api/v1`).extract(service.image);
    assert.equal((await client().status()).pointsUsed - before, result.pointsUsed, fault);
  }
});
