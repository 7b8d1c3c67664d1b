import { encode } from 'uqr'

/** Width of the quiet zone in modules (ISO/IEC 18004, 9.1). */
const BORDER = 4
// Black and white of the fixed 6x6x6 palette, because themes change the first sixteen colours.
const BLACK = 16
const WHITE = 231

/**
 * A QR code for a terminal: two modules in one character, always with both colours, so that it is readable in dark and
 * light themes. `undefined` if it does not fit.
 */
export function drawQr(text: string, columns: number, rows: number): string | undefined {
  const { size, data } = encode(text, { ecc: 'L', border: 0 })
  const width = size + 2 * BORDER
  if (width > columns || Math.ceil(width / 2) + 2 > rows) return undefined
  const isBlack = (row: number, column: number) => data[row - BORDER]?.[column - BORDER] === true
  let drawing = ''
  for (let row = 0; row < width; row += 2) {
    for (let column = 0; column < width; column++) {
      const upper = isBlack(row, column) ? BLACK : WHITE
      const lower = isBlack(row + 1, column) ? BLACK : WHITE
      drawing += `\u001b[38;5;${upper};48;5;${lower}m\u2580`
    }
    drawing += '\u001b[0m\n'
  }
  return drawing
}
