/** Where somebody lands whose account was disabled. */
export function InactivePage() {
  return (
    <div className="narrow stack">
      <h1>Account Inactive</h1>
      <p>This account is inactive.</p>
      <p>
        <a href="/">Home</a>
      </p>
    </div>
  )
}
