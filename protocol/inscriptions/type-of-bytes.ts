/** What files of a kind begin with, as Latin-1; `at` is the offset (bytes) of its mark. */
const MARKS: readonly { type: string; mark: string; at?: number; before?: string }[] = [
  { type: 'image/png', mark: '\x89PNG\r\n\x1a\n' },
  { type: 'image/jpeg', mark: '\xff\xd8\xff' },
  { type: 'image/gif', mark: 'GIF87a' },
  { type: 'image/gif', mark: 'GIF89a' },
  { type: 'image/webp', mark: 'WEBP', at: 8, before: 'RIFF' },
  { type: 'image/avif', mark: 'ftypavif', at: 4 },
  { type: 'image/bmp', mark: 'BM' },
  { type: 'audio/wav', mark: 'WAVE', at: 8, before: 'RIFF' },
  { type: 'audio/mpeg', mark: 'ID3' },
  { type: 'audio/flac', mark: 'fLaC' },
  { type: 'audio/ogg', mark: 'OggS' },
  { type: 'video/mp4', mark: 'ftyp', at: 4 },
  { type: 'video/webm', mark: '\x1aE\xdf\xa3' },
  { type: 'model/gltf-binary', mark: 'glTF' },
  { type: 'application/pdf', mark: '%PDF-' },
  { type: 'application/gzip', mark: '\x1f\x8b' },
  { type: 'application/zip', mark: 'PK\x03\x04' },
]

/** How far text is looked at, in bytes. */
const TEXT_START = 1_000

/** The media type that the first bytes say; `undefined` where they say none. */
export function typeOfBytes(bytes: Uint8Array): string | undefined {
  const start = String.fromCharCode(...bytes.subarray(0, TEXT_START))
  const marked = MARKS.find(({ mark, at = 0, before = '' }) => start.startsWith(mark, at) && start.startsWith(before))
  return marked?.type ?? typeOfText(start.trimStart().toLowerCase())
}

function typeOfText(start: string): string | undefined {
  if (/^(?:<\?xml[^>]*>\s*)?(?:<!--[^>]*-->\s*)?(?:<!doctype svg[^>]*>\s*)?<svg[\s>]/.test(start))
    return 'image/svg+xml'
  if (/^<!doctype html|^<html[\s>]/.test(start)) return 'text/html'
  return /^[{[]\s*["{[\]}]/.test(start) ? 'application/json' : undefined
}
