// placeholder
export function Lots() {
  return <h1>Lots</h1>
}
