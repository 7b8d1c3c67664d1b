/**
 * The value of `answer`, if it resolves within `ms` milliseconds; the work itself is not cancelled.
 * @throws what `answer` throws, or {Error} saying that `who` did not answer.
 */
export async function withTimeout<T>(answer: Promise<T>, ms: number, who: string): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`${who} did not answer in ${ms} ms`)), ms)
  })
  try {
    return await Promise.race([answer, late])
  } finally {
    clearTimeout(timer)
  }
}
