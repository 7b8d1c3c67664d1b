import { ApiError, HooklineError } from '../../client/http/api-error.ts'
import { ReaderError } from '../../reader/reader-error.ts'
import { CommandError, type ErrorDetails } from './command-error.ts'
import { EXIT, type ExitCode } from './exit-codes.ts'
import { CancelledError } from './interrupt.ts'
import type { Outcome } from './outcome.ts'

type Env = Readonly<Record<string, string | undefined>>

/** The outcome for anything that was thrown. It has a stack trace only with HOOKLINE_DEBUG, and never a secret. */
export function describeFailure(error: unknown, env: Env, kept: string): Outcome {
  const failure = explain(error, kept)
  const trace = env.HOOKLINE_DEBUG && error instanceof Error ? redactSecrets(traceOf(error), env) : undefined
  const problems = [...(failure.problems ?? []), ...(trace ? trace.split('\n') : [])]
  return {
    result: null,
    exitCode: failure.exitCode,
    error: { ...failure, message: redactSecrets(failure.message, env), ...(problems.length > 0 && { problems }) },
  }
}

type Failure = { exitCode: ExitCode; code: string; message: string } & ErrorDetails

function explain(error: unknown, kept: string): Failure {
  if (error instanceof CommandError) {
    return { exitCode: error.exitCode, code: error.code, message: error.message, ...error.details }
  }
  if (error instanceof CancelledError) {
    return { exitCode: error.exitCode, code: 'cancelled', message: error.message, hint: kept }
  }
  if (error instanceof ApiError) return explainRefusal(error)
  if (error instanceof HooklineError || error instanceof ReaderError) {
    return {
      exitCode: CODES[error.code] ?? EXIT.unexpected,
      code: error.code,
      message: error.message,
      ...hintOf(error.code),
    }
  }
  const message = error instanceof Error ? error.message : String(error)
  const code = error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : 'unexpected'
  if (WRITE_CODES.has(code)) {
    const hint = 'Make room or choose another place, then run the same command again; it resumes.'
    return { exitCode: EXIT.notWritten, code: 'not_written', message, hint }
  }
  const exitCode = FILE_CODES.has(code) ? EXIT.refused : EXIT.unexpected
  const hint = FILE_CODES.has(code)
    ? 'Check the path and its permissions.'
    : 'HOOKLINE_DEBUG=1 shows where it happened.'
  return { exitCode, code: FILE_CODES.has(code) ? 'file' : 'unexpected', message, hint }
}

/** Exit codes by the library's error codes. */
const CODES: Record<string, ExitCode> = {
  network: EXIT.temporary,
  timeout: EXIT.temporary,
  answer_too_large: EXIT.temporary,
  answer_too_slow: EXIT.temporary,
  unavailable: EXIT.temporary,
  incomplete: EXIT.temporary,
  invalid_car: EXIT.temporary,
  merge_timeout: EXIT.temporary,
  running_already: EXIT.temporary,
  not_found: EXIT.refused,
  quota_exceeded: EXIT.refused,
  site_fails: EXIT.refused,
  denied: EXIT.refused,
  too_large: EXIT.refused,
  unsupported: EXIT.refused,
  not_a_file: EXIT.refused,
  invalid_dag: EXIT.refused,
  redirected: EXIT.refused,
  content_changed: EXIT.refused,
  invalid_source: EXIT.usage,
  invalid_files: EXIT.usage,
  invalid_option: EXIT.usage,
  invalid_id: EXIT.usage,
  insecure_api: EXIT.usage,
  not_proven: EXIT.notVerified,
  not_verified: EXIT.notVerified,
  email_not_verified: EXIT.signIn,
  identity_not_verified: EXIT.signIn,
}
/** The disk is full, broken, over quota or read-only. */
const WRITE_CODES = new Set(['ENOSPC', 'EIO', 'EDQUOT', 'EFBIG', 'EROFS'])
const FILE_CODES = new Set(['ENOENT', 'EACCES', 'EPERM', 'EISDIR', 'ENOTDIR', 'EEXIST', 'EMFILE'])

function hintOf(code: string): { hint?: string } {
  if (code === 'network' || code === 'timeout' || code === 'unavailable') {
    return { hint: 'Nothing is lost: run the same command again.' }
  }
  if (code === 'not_verified') {
    return {
      hint: 'Only bytes that were verified were written. Run the same command again, or ask another service with --api.',
    }
  }
  if (code === 'running_already') return { hint: 'Wait for it, or stop it and run this again.' }
  if (code === 'insecure_api') return { hint: 'Give the https address, or set HOOKLINE_ALLOW_HTTP=1.' }
  if (code === 'content_changed') return { hint: 'Run the same command again when the file no longer changes.' }
  if (code === 'email_not_verified') return { hint: 'Follow the link in the mail, then run the same command again.' }
  return {}
}

const LOGIN_HINT = 'Sign in with hookline login, or set HOOKLINE_KEY.'

/** An error response of the API, with its status. */
function explainRefusal(error: ApiError): Failure {
  const { status, code, message, requestId, retryAfter } = error
  const facts = {
    code,
    message,
    ...(requestId !== undefined && { requestId }),
    ...(retryAfter !== undefined && { retryAfter }),
  }
  if (status === 401) return { ...facts, exitCode: EXIT.signIn, hint: LOGIN_HINT }
  if (status === 403)
    return { ...facts, exitCode: EXIT.signIn, hint: 'hookline whoami shows what the credentials allow.' }
  if (status === 408 || status === 429 || status >= 500 || code === 'request_running') {
    const wait = retryAfter === undefined ? '' : ` in ${retryAfter} s`
    return { ...facts, exitCode: EXIT.temporary, hint: `Run the same command again${wait}; it resumes.` }
  }
  if (code === 'insufficient_balance') return { ...facts, exitCode: EXIT.tooDear }
  return { ...facts, exitCode: EXIT.refused }
}

function traceOf(error: Error): string {
  const cause = error.cause instanceof Error ? `\ncaused by ${traceOf(error.cause)}` : ''
  return `${error.stack ?? error.message}${cause}`
}

/** JSON Web Tokens, `Bearer …` and cookies anywhere in a text. */
const PATTERNS = [
  /eyJ[\w-]+\.[\w-]+\.[\w-]*/g,
  /(?<=bearer\s+)[^\s"',;]+/gi,
  /(?<=(?:cookie|authorization|password|refreshToken|accessToken)["']?\s*[:=]\s*["']?)[^\s"',;]+/gi,
]

/** The text without credentials. */
export function redactSecrets(text: string, env: Env): string {
  let clean = text
  // The key in the environment may have any form.
  if (env.HOOKLINE_KEY && env.HOOKLINE_KEY.length >= 4) clean = clean.replaceAll(env.HOOKLINE_KEY, '[secret]')
  for (const pattern of PATTERNS) clean = clean.replace(pattern, '[secret]')
  return clean
}
