/**
 * `Content-Disposition` with an ASCII name for old clients and the real name beside it (Path Gateway specification;
 * RFC 6266, RFC 8187). Control characters are removed, and characters that change the direction of text are written as
 * `%u202E`, so that a name in a dialog ends with the real extension.
 */
export function contentDisposition(kind: 'inline' | 'attachment', filename: string | undefined): string {
  if (filename === undefined || filename === '') return kind
  const printable = [...filename]
    .filter((char) => char >= ' ' && char !== '\x7f')
    .join('')
    .replace(/[\u202a-\u202e\u2066-\u2069]/g, (char) => `%u${char.charCodeAt(0).toString(16).toUpperCase()}`)
  const ascii = [...printable].map((char) => (char > '~' ? '_' : char === '"' || char === '\\' ? `\\${char}` : char))
  const encoded = encodeURIComponent(printable.toWellFormed()).replace(
    /['()*]/g,
    (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`,
  )
  return `${kind}; filename="${ascii.join('')}"; filename*=UTF-8''${encoded}`
}
