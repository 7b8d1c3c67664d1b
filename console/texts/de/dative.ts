/** A time after "in", "vor" or "seit": 2 Tagen. */
export const dative = (time: string) => time.replace(/Tage$/, 'Tagen')
