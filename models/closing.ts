/**
 * Does the work, then closes what it was done with, whatever came of it. What went wrong first is told: where the work failed,
 * that nothing could be closed behind it often only follows.
 */
export async function closing<T>(
  opened: { readonly close: () => unknown } | (() => unknown),
  work: () => Promise<T>,
): Promise<T> {
  const close = async (): Promise<unknown> => await (typeof opened === 'function' ? opened() : opened.close())
  let result: T
  try {
    result = await work()
  } catch (error) {
    await close().catch(() => undefined)
    throw error
  }
  await close()
  return result
}
