// placeholder
export function Filings() {
  return <h1>Filings</h1>
}
