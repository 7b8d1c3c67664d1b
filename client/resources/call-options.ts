export interface CallOptions {
  signal?: AbortSignal | undefined
}

/** Options of a POST that the service executes once for each key within 24 hours. */
export interface KeyedOptions extends CallOptions {
  idempotencyKey?: string | undefined
}
