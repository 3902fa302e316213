/** Resolves to the answer; rejects if it does not come within this many milliseconds. */
export async function inTime<Result>(answer: Promise<Result>, milliseconds = 10_000): Promise<Result> {
  const { promise, reject } = Promise.withResolvers<never>()
  const timer = setTimeout(() => reject(new Error('No answer in time.')), milliseconds)
  try {
    return await Promise.race([answer, promise])
  } finally {
    clearTimeout(timer)
  }
}
