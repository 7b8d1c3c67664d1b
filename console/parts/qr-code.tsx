import { encode } from 'uqr'

/** Modules of quiet zone that scanners need (ISO/IEC 18004). */
const QUIET = 4

/** A QR code, dark on white in both themes; `label` is its text for those who can't see it. */
export function QrCode({ text, label }: { text: string; label: string }) {
  const { size, data } = encode(text, { ecc: 'M', border: 0 })
  const path = data
    .map((row, y) => row.map((dark, x) => (dark ? `M${x + QUIET} ${y + QUIET}h1v1h-1z` : '')).join(''))
    .join('')
  const side = size + 2 * QUIET
  return (
    <div class="qr" role="img" aria-label={label}>
      <svg viewBox={`0 0 ${side} ${side}`} shape-rendering="crispEdges" aria-hidden="true">
        <path d={path} fill="#000" />
      </svg>
    </div>
  )
}
