/**
 * Does the work, then closes the resource, whatever the result. The first error is thrown: if the work failed, a failure to
 * close is often only a consequence.
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
