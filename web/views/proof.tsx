// placeholder
export function Proof() {
  return <h1>Proof</h1>
}
