import type { ContentfulStatusCode } from 'hono/utils/http-status'

/**
 * Every code that a refusal of this service may carry, with its status and what it means. Codes are stable: programs
 * compare them. `/docs` and the OpenAPI document are made of this table.
 */
export const ERROR_CODES = {
  already_merged: [409, 'The item is merged; its upload is closed.'],
  already_paid: [409, 'The item is paid for.'],
  balance_exceeded: [409, 'More than the balance of the account would be taken away.'],
  bad_gateway: [502, 'No IPFS gateway sent a valid block.'],
  block_mismatch: [400, 'A block of a CAR does not match its CID.'],
  block_not_found: [404, 'The block is not stored here, and no gateway has it.'],
  block_too_large: [400, 'A block is larger than the specification allows.'],
  body_too_large: [413, 'The body is larger than the limit.'],
  busy: [503, 'Too much of the same work is waiting.'],
  chain_not_configured: [503, 'This service has no node of that blockchain.'],
  chunk_lost: [422, 'A chunk was lost; ask for the merge again to learn which to send.'],
  chunk_too_long: [413, 'The chunk is longer than its index must be.'],
  chunk_too_short: [400, 'The chunk is shorter than its index must be.'],
  chunks_missing: [409, 'Some chunks were not uploaded yet; `missing` lists them.'],
  closed: [404, 'The account is closed; the password was right.'],
  content_too_large: [422, 'The content is larger than this service, or the chosen target, takes.'],
  dag_too_large: [422, 'The answer would have more blocks, work or bytes than one may.'],
  denied: [451, 'The content is on the denylist.'],
  denylist_unavailable: [503, 'The denylist cannot be read.'],
  digest_mismatch: [400, 'The chunk does not have the hash of `Content-Digest`.'],
  dns_not_pointing: [409, 'The DNS of the host does not point to the item.'],
  dns_unavailable: [502, 'The resolver gave no usable answer.'],
  domain_taken: [409, 'Another account has claimed the host.'],
  domains_off: [503, 'This service has no resolver, so that hosts cannot be claimed.'],
  email_pending: [202, 'The email address is not verified yet.'],
  file_taken: [409, 'A file of the folder is paid for, or part of another directory.'],
  folder_changed: [409, 'The folder changed while it was being merged.'],
  folder_empty: [409, 'There is no file in the folder.'],
  folder_merged: [409, 'The folder is merged; nothing can be added.'],
  format_not_available: [406, 'The content does not have this format.'],
  gateway_timeout: [504, 'No IPFS gateway sent the block in time.'],
  generation_failed: [400, 'The token given is no live refresh token of the caller.'],
  host_refused: [409, 'The host cannot be registered.'],
  hostnames_unavailable: [503, 'The registrar of custom hostnames does not answer.'],
  https_required: [403, 'The request came by plain http; the service is reached by https.'],
  identity_not_due: [409, 'The account does not wait for its identity.'],
  identity_pending: [201, 'The identity is not verified yet.'],
  identity_too_large: [400, 'A CID holds more data in itself than is allowed.'],
  internal_error: [500, 'Something failed here.'],
  invalid_address: [400, 'The host or path of the request is not an address.'],
  invalid_car: [400, 'The body is not a whole CAR.'],
  invalid_cid: [400, 'The text is no CID, or none that can be served here.'],
  invalid_dag: [422, 'A block is not what its codec, or its parent, says.'],
  invalid_data: [500, 'A block is not valid in its own codec.'],
  invalid_field: [400, 'A field is missing, of the wrong type or out of range; the message names it.'],
  invalid_headers_file: [500, 'The `_headers` file of the site cannot be used.'],
  invalid_host: [400, 'The host names no root.'],
  invalid_json: [400, 'The body is not a JSON object in UTF-8 with each name once.'],
  invalid_name: [400, 'The name is neither a key nor a domain.'],
  invalid_path: [400, 'The path is not percent-encoded UTF-8 within its root.'],
  invalid_redirects: [500, 'The `_redirects` file of the site cannot be used.'],
  invalid_uri: [400, 'The URI is no address of IPFS or IPNS.'],
  item_in_directory: [409, 'The item is part of a directory, which is paid as a whole.'],
  item_not_stored: [409, 'The item is not stored yet.'],
  item_not_payable: [409, 'The item is not in `402 Payment Required`.'],
  item_too_large: [413, 'The item is larger than one may be here.'],
  items_in_other_request: [409, 'Some of the items are in another open request.'],
  key_reused: [422, 'The `Idempotency-Key` was sent with another request.'],
  key_not_taken: [403, 'No API key is taken here, only an access token.'],
  label_too_long: [400, 'The CID is longer than a DNS label.'],
  link_invalid: [400, 'The mailed link was used, is too old, or never was one.'],
  login_again: [403, 'This needs a login within the last ten minutes.'],
  merging: [409, 'The item is being merged.'],
  linked_file: [409, 'The file is linked from a stored item, and is merged with its folder.'],
  method_not_allowed: [405, 'The path has other methods; `Allow` lists them.'],
  name_not_resolved: [502, 'The IPNS or DNSLink name does not resolve.'],
  names_collide: [409, 'Two things in the folder have one name.'],
  no_dnslink: [404, 'The domain has no DNSLink record.'],
  no_ipns_record: [400, 'Only an IPNS key without a path has a record.'],
  no_resolver: [503, 'This service has no resolver.'],
  node_bad_answer: [502, 'No node of the chain gave an answer that could be verified.'],
  node_timeout: [504, 'No node of the chain answered in time.'],
  node_unreachable: [502, 'No node of the chain could be reached.'],
  not_a_file: [400, 'The directory has no `index.html`.'],
  not_a_link: [501, 'The path goes into a value that is no link.'],
  not_cached: [412, '`only-if-cached`, and the block is not stored here.'],
  not_configured: [503, 'The operator has not configured the service.'],
  not_found: [404, "There is no such thing, or it is somebody else's."],
  nothing_to_gather: [409, 'The wallet has not two free coins that are worth gathering.'],
  not_merged: [409, 'The item is not merged yet.'],
  not_stopped: [409, 'The item is not in `409 Conflict`.'],
  not_unixfs: [[400, 422], 'The content is not UnixFS.'],
  part_of_directory: [409, 'The item is part of a directory.'],
  path_not_found: [404, 'The content has nothing at this path.'],
  path_outside_root: [422, 'The path leaves its root.'],
  path_too_long: [400, 'The path has too many segments.'],
  payment_seen: [409, 'Money has been seen for it.'],
  payment_unavailable: [503, 'Payment with that blockchain is unavailable.'],
  permission_missing: [403, 'The token lacks a permission; the message names it.'],
  quota_exceeded: [409, 'The account has all that its quota allows; `quota`, `limit` and `used` say which.'],
  range_not_satisfiable: [416, 'The range lies outside of the content.'],
  refresh_token_invalid: [401, 'The refresh token is not valid, or no longer.'],
  reports_full: [503, 'More reports wait to be looked at than are kept.'],
  request_changing: [409, 'Another request for these items is being made.'],
  request_not_open: [409, 'The payment request is settled or cancelled.'],
  request_running: [409, 'The first request with this `Idempotency-Key` is still running.'],
  resolver_unavailable: [[503, 504], 'The DNS of the host cannot be asked right now.'],
  revocation_failed: [400, 'The token is no live refresh token of the caller.'],
  router_timeout: [504, 'No IPNS router answered in time.'],
  scope_missing: [403, 'The API key lacks a scope; the message names it.'],
  service_worker_scope: [400, 'A service worker cannot have a whole gateway as its scope.'],
  spending_limit: [403, 'The API key may not spend so much today; the message says how much.'],
  site_fails: [
    409,
    'The files of the version make the site answer 500; `problems` lists them. `confirm` shows it all the same.',
  ],
  storage_unavailable: [503, 'The storage of this service does not answer.'],
  token_invalid: [401, 'The access token is not valid, or no longer.'],
  token_missing: [401, 'There is no access token in the request.'],
  too_many_blocks: [413, 'The CAR has more blocks than one import takes. Send it in parts.'],
  too_many_files: [422, 'The folder has more files than a directory may have.'],
  too_many_requests: [429, 'Too many requests; `Retry-After` says when to come again.'],
  too_many_streams: [429, 'The account has as many streams of events open as it may.'],
  too_many_roots: [400, 'The CAR has more roots than are taken.'],
  too_many_sessions: [400, 'The account has as many long-lived sessions as it may have.'],
  too_many_transactions: [422, 'The content would need more transactions than one item may have.'],
  too_many_walks: [503, 'Too many requests for large or intricate IPFS content are being answered.'],
  tus_version: [412, 'The client speaks another version of tus than this service.'],
  unhealthy: [503, 'A part of this service is down; the body names it.'],
  unknown_format: [400, '`format` is none that exists.'],
  unsupported_car: [400, 'CARs of that version or order are not made here.'],
  unsupported_codec: [400, 'The codec of the CID is none that can be read here.'],
  unsupported_hash: [400, 'The hash of the CID is none that can be checked here.'],
  unsupported_media_type: [415, 'The body is not sent as the media type that is due.'],
  upload_busy: [423, 'Another request is writing the upload.'],
  upload_stalled: [503, 'No byte of an upload arrived for a while; what arrived is kept.'],
  upload_too_long: [413, 'The bytes reach beyond the size of the upload.'],
  wrong_credentials: [401, 'The email address or the password is wrong.'],
  wrong_offset: [409, 'The upload goes on at another offset.'],
  wrong_origin: [403, 'Only a page of this origin may ask this.'],
  wrong_password: [403, 'The password is not that of the account.'],
} as const satisfies Record<
  string,
  readonly [status: ContentfulStatusCode | readonly ContentfulStatusCode[], meaning: string]
>

/** A code of {@link ERROR_CODES}. */
export type ErrorCode = keyof typeof ERROR_CODES

/** The statuses that go with a code. */
export type StatusOf<Code extends ErrorCode> = OneOf<(typeof ERROR_CODES)[Code][0]>
type OneOf<T> = T extends readonly (infer One)[] ? One : T

/** The codes that go with a status. */
export type CodeOf<Status> = { [Code in ErrorCode]: Status extends StatusOf<Code> ? Code : never }[ErrorCode]

/** The statuses of a code, as a list. */
export function statusesOf(code: ErrorCode): readonly ContentfulStatusCode[] {
  return [ERROR_CODES[code][0]].flat()
}

/** Whether a text, of a row or of another isolate, is a code that goes with this status. */
export function isCodeOf<Status extends StatusOf<ErrorCode>>(status: Status, text: string): text is CodeOf<Status> {
  const own: unknown = Object.entries(ERROR_CODES).find(([code]) => code === text)?.[1][0]
  return own === status || (Array.isArray(own) && own.includes(status))
}
