/**
 * The limits of D1 as Cloudflare documents them (D1, Platform, Limits; a paid account). Local D1 enforces only some of
 * them, so tests and the simulation check them (tests/kit/in-process/d1-limits.ts).
 */
export const D1_LIMITS = {
  /** Bound parameters of one statement. */
  parameters: 100,
  /** UTF-8 bytes of one statement's text. */
  statementBytes: 100_000,
  /** Bytes of a text or blob, bound or read. */
  valueBytes: 2_000_000,
  /** Bytes of all values of a row. */
  rowBytes: 2_000_000,
  /** Bytes of all rows that one statement returns. */
  resultBytes: 2_000_000,
  /** Bytes of a pattern behind LIKE or GLOB. */
  patternBytes: 50,
  /** Statements of one invocation of a Worker or a Durable Object, each of a batch counted. */
  statementsPerInvocation: 1_000,
} as const
