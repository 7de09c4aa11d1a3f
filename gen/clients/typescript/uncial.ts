// A client for Uncial, which reads text from images of historical documents. It needs `fetch`: Node 20.3 or later, Deno, Bun or a browser.
//
//   const client = new Client("http://127.0.0.1:8080/api/v1", { key: "ocr_live_..." });
//   const result = await client.extract("https://images.example.org/page-001.jpg", { language: "de-Latf" });
//   console.log(result.text, result.confidence);
//
// Errors that the contract names are thrown as ApiError, whose `body` is a union by `code`. Failures that may be temporary are
// retried: no answer, a damaged answer, 429, 500, and images that temporarily cannot be fetched. Every extraction carries an
// Idempotency-Key, so it is charged at most once, however often it is retried.
import type { components } from "./schema.js";

type Schemas = components["schemas"];
export type Extraction = Schemas["ExtractionResult"];
export type Status = Schemas["StatusRecord"];
export type ErrorBody =
  | Schemas["InvalidRequestError"]
  | Schemas["InvalidApiKeyError"]
  | Schemas["InsufficientPointsError"]
  | Schemas["RateLimitedError"]
  | Schemas["ServerError"];

export interface Options {
  /** The API key. */
  key: string;
  /** Milliseconds that one attempt may take, from the connection to the end of the answer; 120,000 by default. */
  timeout?: number;
  /** Maximum number of attempts of a call; 4 by default. */
  attempts?: number;
  /** Maximum total time in milliseconds that a call waits between its attempts; 120,000 by default. */
  patience?: number;
  /** Waits for a time, or until the signal aborts; tests replace it. */
  sleep?: (milliseconds: number, signal?: AbortSignal) => Promise<void>;
}

export interface ExtractOptions extends Omit<Schemas["ExtractionRequest"], "imageUrl"> {
  /** By default a new one for each call. */
  idempotencyKey?: string;
  /** Ends the call early, whether it waits for an answer or for its next attempt. */
  signal?: AbortSignal;
}

/** What `extractAll` has done so far. */
export interface Progress {
  done: number;
  failed: number;
  total: number;
  pointsUsed: number;
}

/** An error that the contract names. `body.code` says which. */
export class ApiError extends Error {
  constructor(
    readonly status: number,
    readonly body: ErrorBody,
    /** Seconds to wait before the next attempt, if the server said so. */
    readonly retryAfter: number | undefined,
  ) {
    super(`${body.error} (${body.message})`);
    this.name = "ApiError";
  }

  /** Whether the same call may succeed later. */
  get retryable(): boolean {
    switch (this.body.code) {
      case "RATE_LIMITED":
      case "SERVER_ERROR":
        return true;
      case "INVALID_REQUEST":
        return this.body.fetch?.retryable ?? false;
      default:
        return false;
    }
  }
}

/**
 * The server gave no valid answer. The extraction may have been charged; repeating the call with the same Idempotency-Key costs
 * nothing more.
 */
export class NoAnswer extends Error {
  constructor(message: string, readonly idempotencyKey: string | undefined, options?: ErrorOptions) {
    super(message, options);
    this.name = "NoAnswer";
  }
}

/** The longest time in milliseconds that a timer can wait; longer ones end at once. */
const longestTimer = 2 ** 31 - 1;

/** The maximum size of an answer in bytes. */
const maxAnswer = 128 << 20;

/** The types of the fields of an answer; those with a ? may be missing. Fields that are not listed are ignored. */
type Shape = "string" | "number" | "boolean" | readonly [Shape] | { readonly [field: string]: Shape };

const boxShape: Shape = { x: "number", y: "number", width: "number", height: "number" };
const extractionShape: Shape = {
  success: "boolean", text: "string", confidence: "number", pointsUsed: "number", "remainingPoints?": "number", "processingTime?": "number",
  "enhanced?": "boolean", "language?": "string", "document?": "string",
  "reader?": { software: "string", "version?": "string", models: [{ name: "string", digest: "string" }] },
  "edits?": [{ page: "number", box: boxShape, before: "string", after: "string", rule: "string", confidence: "number" }],
  "weak?": [{ page: "number", box: boxShape, "rotation?": "number", confidence: "number", reason: "string", "text?": "string" }],
};
const statusShape: Shape = {
  success: "boolean", "status?": "string", plan: "string", pointsUsed: "number", pointsRemaining: "number", "pointsTotal?": "number",
  "rateLimit?": { limit: "number", remaining: "number", reset: "number" }, "rateLimitRemaining?": "number",
};
const errorShape = { success: "boolean", error: "string", code: "string", message: "string" } as const;
const errorShapes = new Map<unknown, Shape>([
  ["INVALID_REQUEST", { ...errorShape, details: {}, "fetch?": { reason: "string", retryable: "boolean", "retryAfter?": "number" } }],
  ["INSUFFICIENT_POINTS", { ...errorShape, remainingPoints: "number", nextReset: "string" }],
  ["RATE_LIMITED", { ...errorShape, remainingPoints: "number" }],
]);

function fits(value: unknown, shape: Shape): boolean {
  if (typeof shape === "string") return typeof value === shape;
  if (isList(shape)) return Array.isArray(value) && value.every((v) => fits(v, shape[0]));
  if (typeof value !== "object" || value === null || Array.isArray(value)) return false;
  return Object.entries(shape).every(([name, kind]) => {
    const field = (value as Record<string, unknown>)[name.replace("?", "")];
    return field === undefined ? name.endsWith("?") : fits(field, kind);
  });
}

const isList = (shape: Shape): shape is readonly [Shape] => Array.isArray(shape);

/** Reads an answer of at most maxAnswer bytes. It throws if the answer is longer or not UTF-8, or if the signal aborts. */
async function readText(answer: Response, signal: AbortSignal): Promise<string> {
  const decoder = new TextDecoder("utf-8", { fatal: true });
  const reader = answer.body?.getReader();
  let text = "";
  for (let size = 0; reader; ) {
    const { done, value } = await reader.read();
    signal.throwIfAborted();
    if (done) break;
    size += value.byteLength;
    if (size > maxAnswer) throw new Error(`the answer has more than ${maxAnswer >> 20} MiB`);
    text += decoder.decode(value, { stream: true });
  }
  return text + decoder.decode();
}

/** Resolves after a time, or as soon as the signal aborts. */
function sleep(milliseconds: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const end = () => {
      clearTimeout(timer);
      signal?.removeEventListener("abort", end);
      resolve();
    };
    const timer = setTimeout(end, milliseconds);
    signal?.addEventListener("abort", end);
  });
}

/** A server and a key. */
export class Client {
  readonly #base: string;
  readonly #options: Required<Options>;

  /** baseUrl is the address of the API, such as "http://127.0.0.1:8080/api/v1". */
  constructor(baseUrl: string, options: Options) {
    if (!/^https?:\/\//i.test(baseUrl)) throw new TypeError("baseUrl must begin with http:// or https://");
    if (!/^[\x21-\x7e]+$/.test(options.key)) throw new TypeError("key is missing, or has characters that keys cannot have");
    this.#base = baseUrl.replace(/\/+$/, "");
    this.#options = { timeout: 120_000, attempts: 4, patience: 120_000, sleep, ...options };
    const { attempts, timeout, patience } = this.#options;
    if (!(attempts >= 1)) throw new TypeError("attempts must be at least 1");
    if (!(timeout > 0 && timeout <= longestTimer)) throw new TypeError(`timeout must be 1 to ${longestTimer} milliseconds`);
    if (!(patience >= 0 && patience <= longestTimer)) throw new TypeError(`patience must be 0 to ${longestTimer} milliseconds`);
  }

  /** Returns plan, points and rate limit of the account. */
  async status(signal?: AbortSignal): Promise<Status> {
    return (await this.#call(statusShape, "GET", "/status", undefined, undefined, signal)) as Status;
  }

  /** Reads an image: an address (http, https or data), or the bytes of a file. */
  async extract(image: string | Uint8Array, options: ExtractOptions = {}): Promise<Extraction> {
    const { idempotencyKey = crypto.randomUUID(), signal, ...fields } = options;
    const request = { imageUrl: typeof image === "string" ? image : dataUrl(image), ...fields };
    return (await this.#call(extractionShape, "POST", "/extract", request, idempotencyKey, signal)) as Extraction;
  }

  /**
   * Reads images one after the other, and yields each with its result or error. It throws on a 401 or 402, because every further
   * image would get the same, and when the signal aborts.
   */
  async *extractAll<T extends string | Uint8Array>(
    images: readonly T[],
    options: Omit<ExtractOptions, "idempotencyKey"> = {},
    progress?: (p: Progress) => void,
  ): AsyncGenerator<[T, Extraction | ApiError | NoAnswer]> {
    const p: Progress = { done: 0, failed: 0, total: images.length, pointsUsed: 0 };
    for (const image of images) {
      let result: Extraction | ApiError | NoAnswer;
      try {
        result = await this.extract(image, options);
        p.done++;
        p.pointsUsed += result.pointsUsed;
      } catch (e) {
        const stops = e instanceof ApiError && (e.status === 401 || e.status === 402);
        if (stops || !(e instanceof ApiError || e instanceof NoAnswer)) throw e;
        result = e;
        p.failed++;
      }
      progress?.({ ...p });
      yield [image, result];
    }
  }

  async #call(good: Shape, method: string, path: string, request: unknown, idempotencyKey: string | undefined, signal?: AbortSignal): Promise<unknown> {
    const { attempts, patience, sleep } = this.#options;
    signal?.throwIfAborted();
    for (let attempt = 1, waited = 0; ; attempt++) {
      try {
        return await this.#attempt(good, method, path, request, idempotencyKey, signal);
      } catch (e) {
        const retryable = e instanceof NoAnswer || (e instanceof ApiError && e.retryable);
        const stated = e instanceof ApiError ? e.retryAfter : undefined;
        const pause = 1000 * (stated ?? 2 ** (attempt - 1) * (0.5 + Math.random() / 2));
        if (!retryable || signal?.aborted || attempt >= attempts || waited + pause > patience) throw e;
        await sleep(pause, signal);
        signal?.throwIfAborted();
        waited += pause;
      }
    }
  }

  async #attempt(good: Shape, method: string, path: string, request: unknown, idempotencyKey: string | undefined, signal?: AbortSignal): Promise<unknown> {
    const headers: Record<string, string> = { Authorization: `Bearer ${this.#options.key}`, Accept: "application/json" };
    if (request !== undefined) headers["Content-Type"] = "application/json";
    if (idempotencyKey !== undefined) headers["Idempotency-Key"] = idempotencyKey;
    const ending = new AbortController();
    const timer = setTimeout(() => ending.abort(new Error("the answer did not arrive in time")), this.#options.timeout);
    const leave = () => ending.abort(signal?.reason);
    signal?.addEventListener("abort", leave);
    let answer: Response;
    let body: unknown;
    try {
      answer = await fetch(this.#base + path, {
        method,
        headers,
        ...(request === undefined ? {} : { body: JSON.stringify(request) }),
        redirect: "error", // the key must not follow a redirect to another server
        signal: ending.signal,
      });
      body = JSON.parse(await readText(answer, ending.signal));
    } catch (e) {
      if (signal?.aborted) throw signal.reason;
      const cause = e instanceof Error && e.cause instanceof Error ? e.cause.message : String(e);
      throw new NoAnswer(`no valid answer from ${this.#base}: ${cause}`, idempotencyKey, { cause: e });
    } finally {
      clearTimeout(timer);
      signal?.removeEventListener("abort", leave);
      ending.abort(); // closes the connection of an answer that was not read to its end
    }
    const isOk = answer.status === 200;
    const shape = isOk ? good : (errorShapes.get((body as Partial<ErrorBody> | null)?.code) ?? errorShape);
    if (!fits(body, shape) || (body as { success: boolean }).success !== isOk) {
      throw new NoAnswer(`${this.#base} answered ${answer.status} with something the contract does not define`, idempotencyKey);
    }
    if (isOk) return body;
    const failure = body as ErrorBody;
    const stated = failure.code === "INVALID_REQUEST" ? failure.fetch?.retryAfter : undefined;
    const wait = stated ?? Number(answer.headers.get("Retry-After") ?? Number.NaN);
    throw new ApiError(answer.status, failure, Number.isFinite(wait) ? Math.max(0, wait) : undefined);
  }
}

/** Returns bytes as a data: URL. */
function dataUrl(bytes: Uint8Array): string {
  const parts: string[] = [];
  for (let at = 0; at < bytes.length; at += 0x8000) parts.push(String.fromCharCode(...bytes.subarray(at, at + 0x8000)));
  return `data:application/octet-stream;base64,${btoa(parts.join(""))}`;
}
