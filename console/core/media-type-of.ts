/**
 * Types that browsers often do not know, or that differ between systems. The whole list of `reader/` would be 8 KB of the
 * console's first load.
 */
const TYPES: Record<string, string> = {
  avif: 'image/avif',
  css: 'text/css',
  csv: 'text/csv',
  gif: 'image/gif',
  html: 'text/html',
  htm: 'text/html',
  ico: 'image/x-icon',
  jpeg: 'image/jpeg',
  jpg: 'image/jpeg',
  js: 'text/javascript',
  json: 'application/json',
  m4a: 'audio/mp4',
  md: 'text/markdown',
  mjs: 'text/javascript',
  mp3: 'audio/mpeg',
  mp4: 'video/mp4',
  ogg: 'audio/ogg',
  opus: 'audio/ogg',
  pdf: 'application/pdf',
  png: 'image/png',
  svg: 'image/svg+xml',
  txt: 'text/plain',
  wasm: 'application/wasm',
  webm: 'video/webm',
  webp: 'image/webp',
  woff2: 'font/woff2',
  xml: 'text/xml',
  zip: 'application/zip',
}

/** The media type of a file by its name, else the browser's. */
export function mediaTypeOf(path: string, given: string): string {
  const extension = /\.([A-Za-z0-9]+)$/.exec(path)?.[1]?.toLowerCase()
  const known = extension === undefined ? undefined : TYPES[extension]
  if (known !== undefined) return known
  return /^[\w!#$&^.+-]+\/[\w!#$&^.+-]+$/.test(given) ? given : 'application/octet-stream'
}

/** The kind of a media type, for its icon and its name. */
export function kindOf(mimetype: string): 'picture' | 'film' | 'sound' | 'page' | 'text' | 'other' {
  const essence = mimetype.split(';')[0]?.trim().toLowerCase() ?? ''
  if (essence.startsWith('image/')) return 'picture'
  if (essence.startsWith('video/')) return 'film'
  if (essence.startsWith('audio/')) return 'sound'
  if (essence === 'text/html') return 'page'
  return essence.startsWith('text/') || essence === 'application/json' ? 'text' : 'other'
}
