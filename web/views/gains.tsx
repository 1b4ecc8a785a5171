// placeholder
export function Gains() {
  return <h1>Gains</h1>
}
