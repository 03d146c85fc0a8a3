import {
  IsClientId,
  IsFlag,
  IsId,
  IsNotBlank,
  IsNullable,
  IsSha256,
  IsText,
  IsTextList,
  IsTime,
} from './field-rules.js';

/** A buyer: the owner of everything else. */
export class BuyerRecord {
  @IsId() id!: string;
  /** An assistant of this buyer gets `changes`. */
  @IsNullable() @IsFlag() changesGranted?: boolean | null;
}

/** A dealership. Its name and contact are what the service keeps from assistants. */
export class DealershipRecord {
  @IsId() id!: string;
  @IsText(300, 1) @IsNotBlank() name!: string;
  @IsNullable() @IsText(200) phone?: string | null;
  @IsNullable() @IsText(320) email?: string | null;
  @IsNullable() @IsText(2048) website?: string | null;
  /** Null or absent: not known yet. */
  @IsNullable() @IsFlag() verifiedPartner?: boolean | null;
}

/** A signed-in website session of a buyer. */
export class SessionRecord {
  @IsId() id!: string;
  @IsId() buyerId!: string;
  /** SHA-256 of the cookie's value; the value itself is never stored. */
  @IsSha256() tokenSha256!: string;
  @IsTime() expiresAt!: string;
  @IsNullable() @IsTime() revokedAt?: string | null;
}

/** A buyer's approval of an assistant. */
export class GrantRecord {
  @IsId() id!: string;
  @IsId() buyerId!: string;
  @IsClientId() clientId!: string;
  @IsTextList(100, 200) scopes!: string[];
  @IsNullable() @IsFlag() hosted?: boolean | null;
  @IsTime() grantedAt!: string;
  @IsNullable() @IsTime() revokedAt?: string | null;
}
