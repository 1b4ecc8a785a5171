// placeholder
export function Console() {
  return <h1>Console</h1>
}
