import { QrImage } from '../../accounts/two-factor/pages/qr-image.tsx'

/** A referral to be scanned from a screen or a sheet of paper. Needs no script. */
export function ReferralQrPage({ url }: { url: string }) {
  return (
    <div className="narrow stack">
      <h1>Referral as a QR code</h1>
      <p>Anyone who scans it can sign up. Show it on your screen, or print this page.</p>
      <QrImage text={url} label="QR code of your referral" />
      <p className="address small">{url}</p>
      <p>
        <a href="/classcords/referrals/">All your referrals</a>
      </p>
    </div>
  )
}
