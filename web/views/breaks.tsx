// placeholder
export function Breaks() {
  return <h1>Breaks</h1>
}
