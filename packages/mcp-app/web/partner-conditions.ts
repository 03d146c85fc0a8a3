/**
 * The conditions that apply to a Verified partner. A page must show them wherever it shows the flag
 * (contract, section 2.4). The asterisk refers to the one at each flag.
 */
export const PARTNER_CONDITIONS =
  '* Verified partner: the dealership pays the service a subscription. It has agreed to honor its written price while the car is available, if you qualify for the rebates, incentives and financing in that price.';
