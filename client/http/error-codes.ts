import type { LaterWord, ServiceErrorCode } from '../generated/types.ts'

/** Error codes of this library; the service has its own. */
export type LibraryErrorCode =
  | 'answer_too_large'
  | 'answer_too_slow'
  | 'content_changed'
  | 'email_not_verified'
  | 'identity_not_verified'
  | 'insecure_api'
  | 'invalid_files'
  | 'invalid_id'
  | 'invalid_option'
  | 'merge_timeout'
  | 'network'
  | 'no_files'
  | 'no_state_store'
  | 'other_content'
  | 'part_failed'
  | 'proof_needed'
  | 'redirected'
  | 'refused'
  | 'running_already'
  | 'timeout'
  | 'too_dear'
  | 'unexpected_answer'

/** Every error code; a later version of the service may have more. */
export type ErrorCode = LibraryErrorCode | ServiceErrorCode | LaterWord
