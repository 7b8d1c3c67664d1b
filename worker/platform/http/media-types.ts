/** Media types of answers that the Worker itself makes. */
export const JSON_TYPE = 'application/json'
export const HTML_TYPE = 'text/html; charset=utf-8'
/** The type of hex digits: ASCII, which needs no charset. */
export const HEX_TYPE = 'text/plain'
export const BYTES_TYPE = 'application/octet-stream'
