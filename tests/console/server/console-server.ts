import type { FakeState } from './fake-state.ts'
import type { UploadWeather } from './fake-uploads.ts'

/** The in-test server, and what a test does to it. */
export interface ConsoleServer {
  origin: string
  state: FakeState
  weather: UploadWeather
  /** Answers the next requests of this method and path with a status instead. */
  refuse(method: string, path: RegExp, answer: Refusal): void
  allowAll(): void
  /** Sends an event to every stream. */
  emit(type: string, data: unknown): void
  /** Ends every stream of events. */
  cutStreams(): void
  /** The requests received, as `METHOD /path`. */
  requests: string[]
  /** Fails where an answer was none that the description of the API has. */
  close(): Promise<void>
}

export interface Refusal {
  status: number
  code?: string
  message?: string
  retryAfter?: number
  /** Never answers. */
  hangs?: boolean
}
