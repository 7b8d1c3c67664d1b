/** Bits of the window of every stream that the service stores (RFC 7932, 9.1). */
export const WINDOW_BITS = 22

/** Content of up to this many bytes is compressed at quality 11, with some 2.5 s of CPU for each MiB; larger content at 9. */
export const BEST_QUALITY_BYTES = 4 * 1024 * 1024

/** Qualities after interrupted tries: a tenth of the time, then a hundredth. */
const QUALITIES = [5, 1]

// BrotliEncoderParameter and BrotliEncoderMode of brotli/encode.h, which node:zlib accepts unchanged.
const PARAMETER = { mode: 0, quality: 1, windowBits: 2, sizeHint: 5 }
const MODE = { generic: 0, text: 1, font: 2 }

/**
 * Encoder settings of what is stored on a chain (docs/behaviour/items.md), by their numbers: of content of `size` bytes
 * and a media type without parameters, after tries that were `cutOff` for their CPU.
 */
export function brotliParameters(size: number, essence: string, cutOff = 0): Record<number, number> {
  const best = size <= BEST_QUALITY_BYTES ? 11 : 9
  return {
    [PARAMETER.quality]: QUALITIES[Math.min(cutOff, QUALITIES.length) - 1] ?? best,
    [PARAMETER.windowBits]: WINDOW_BITS,
    [PARAMETER.mode]: brotliMode(essence),
    [PARAMETER.sizeHint]: size,
  }
}

function brotliMode(essence: string): number {
  if (/^(font\/|application\/(x-)?font-)/.test(essence)) return MODE.font
  const isText = essence.startsWith('text/') || /[/+](json|xml|javascript|ecmascript|yaml)$/.test(essence)
  return isText ? MODE.text : MODE.generic
}
