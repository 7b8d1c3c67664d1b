export interface CallOptions {
  signal?: AbortSignal | undefined
}

/** A POST with a key is done once by the service, however often it is sent within 24 hours. */
export interface KeyedOptions extends CallOptions {
  idempotencyKey?: string | undefined
}
