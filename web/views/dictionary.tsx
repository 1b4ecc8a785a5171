// placeholder
export function Dictionary() {
  return <h1>Dictionary</h1>
}
