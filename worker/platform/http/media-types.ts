/** Media types of what the Worker itself makes. */
export const JSON_TYPE = 'application/json'
export const HTML_TYPE = 'text/html; charset=utf-8'
/** Hex digits and nothing else: ASCII, which needs no charset. */
export const HEX_TYPE = 'text/plain'
export const BYTES_TYPE = 'application/octet-stream'
