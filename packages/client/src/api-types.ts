/** Generated from the served OpenAPI document by `npm run client:types`. Do not edit. */

export interface paths {
    "/api/v1/deal-sets": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the buyer’s requests
         * @description Without `since`: the active requests, at most 12 deal sets and the 25 newest requests to one dealership. With `since`: the requests that changed after that time, ended requests included, oldest change first. To read everything, begin at `1970-01-01T00:00:00Z` and repeat with the `Service-As-Of` just received until `Service-More` is `false`; keep one entry for each kind and id, because an entry can be returned more than once.
         *
         *     **How to poll**
         *
         *     1. This is a poll. The service sends no notifications; a call every few seconds is within the rate limit.
         *     2. To read everything, begin with `since=1970-01-01T00:00:00Z`. To receive only later changes, begin with the `Service-As-Of` of any `since` call.
         *     3. Pass the `Service-As-Of` just received as the next `since`. While `Service-More` is `true`, call again at once; when it is `false`, wait and call again.
         *     4. Save `Service-As-Of` after you have handled the page, not before. A client that stops in between then reads the page again and loses nothing.
         *     5. A `since` never expires: it is a plain time.
         *     6. An entry can be returned more than once, but is never skipped. Keep one entry for each `kind` and id (`dealSetId` of a deal set, `id` of a single request); a later entry replaces an earlier one.
         *     7. A request that ends is not removed: it is returned once more, with `section` `inactive`. You do not have to delete anything, except when a buyer’s data is erased.
         *     8. A plain call, without `since`, returns active requests only. Its `Service-More` is `true` when an active request was left out.
         *     9. After `could_not_check` on the last page, `Service-As-Of` repeats your own `since`, so that the next poll returns the same entries with their replies.
         *     10. `changes.newReplies` counts the replies that arrived after the `since` of the same call. A poll of one page counts every new reply. A poll of several pages can miss one: if a request gets a reply and then changes again, it can be on a later page, whose `since` is after the reply. A page has 100 entries, so poll often enough that one page suffices.
         *     11. Skip entries of an unknown `kind`, and ignore unknown fields.
         *     12. After 429, and after 503 with `Retry-After`, wait that many seconds; otherwise back off. `auth_unverifiable` does not mean that the credential is invalid: keep it.
         */
        get: operations["listDealSets"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/deal-sets/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read one deal set
         * @description The ranked results of one deal set.
         */
        get: operations["getDealSet"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        /** @description The car the buyer asked for. */
        RequestedCar: {
            /** @description Model year. */
            year: number;
            /** @description Make. */
            make: string;
            /** @description Model. */
            model: string;
            /** @description Trim of the configuration that the buyer asked for. Null for an assistant. */
            trim: string | null;
            /** @description Exterior color of the configuration that the buyer asked for. Null for an assistant. */
            exteriorColor: string | null;
            /** @description Interior color of the configuration that the buyer asked for. Null for an assistant. */
            interiorColor: string | null;
            /** @description Drivetrain of the configuration that the buyer asked for. Null for an assistant. */
            drivetrain: string | null;
            /** @description Powertrain of the configuration that the buyer asked for. Null for an assistant. */
            powertrain: string | null;
        };
        /** @description No reply arrived after the `since` of this call. */
        NoReplies: {
            /**
             * @description No reply arrived after the `since` of this call. On a further page of a poll, that is the edge of the page before: a reply that arrived earlier is not counted. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            status: "none";
        };
        /** @description Replies arrived after the `since` of this call. Their words are not included. */
        NewReplies: {
            /**
             * @description Replies arrived after the `since` of this call. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            status: "new";
            /** @description The number of these replies. */
            count: number;
            /**
             * Format: date-time
             * @description When the newest of these replies arrived: the time at which the service recorded it. It is always after `since`, and a reply has the same time in every response.
             */
            latestAt: string;
        };
        /** @description The replies could not be looked up just now. */
        UncheckedReplies: {
            /**
             * @description This does not mean that there are none. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            status: "could_not_check";
        };
        /** @description State of the request for a poll, without the words of any message. */
        Changes: {
            /** @description True exactly when `lowestWrittenOtdCents` is not null, regardless of when the price was given. */
            hasWrittenPrice: boolean;
            /** @description Replies that arrived after the `since` of this call. */
            newReplies: components["schemas"]["NoReplies"] | components["schemas"]["NewReplies"] | components["schemas"]["UncheckedReplies"];
            /** @description True exactly when `section` is `inactive`, regardless of since when. An archived request to one dealership is inactive, too. */
            ended: boolean;
        };
        /** @description How many rows are in each state; archived rows are not counted. */
        Summary: {
            /** @description Ranked rows. */
            written: number;
            /** @description Rows without a written price yet. */
            waiting: number;
            /** @description Rows that answered for a different car. */
            differentCar: number;
            /** @description Rows whose thread has ended. */
            ended: number;
            /** @description Ended rows that have a price in writing, except rows for a different car. */
            endedWithPrice: number;
            /** @description Ended rows with the ending `closed_with_price`, except rows for a different car. */
            closedWithPrice: number;
        };
        /** @description A request to several dealerships. */
        DealSetEntry: {
            /**
             * @description Distinguishes a deal set from a request to one dealership. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            kind: "deal_set";
            /**
             * Format: uuid
             * @description Id of the deal set.
             */
            dealSetId: string;
            /** @description Display text: the deal set’s path on the website. */
            href: string;
            /** @description The car the buyer asked for. */
            car: components["schemas"]["RequestedCar"];
            /**
             * @description `ready`: a dealership has finished and sent its offer, and its row has neither ended nor been archived and is not for a different car. `inactive`: the deal set itself has ended, and is off the buyer’s page. `in_progress`: otherwise, even if rows have a written price.
             * @enum {string}
             */
            section: "ready" | "in_progress" | "inactive";
            /** @description The lowest written out-the-door price for the same car, US cents; null exactly when there is none. A price for a different car does not count. On a deal set: the lowest of the ranked rows; without one, of the ended rows for the same car; then of the archived rows for the same car. On a request to one dealership: its written price, also when the request has ended or is archived. */
            lowestWrittenOtdCents: number | null;
            /** @description How many items wait for the buyer; for a request to one dealership, 0 or 1. */
            needsYou: number;
            /**
             * Format: date-time
             * @description When the request changed last; null when unknown.
             */
            latestActivityAt: string | null;
            /** @description Present only on a `since` call of an assistant whose buyer was granted it. */
            changes?: components["schemas"]["Changes"];
            /** @description The buyer’s search ZIP code. Null for an assistant. */
            buyerZip: string | null;
            /** @description How many dealerships the search found. Null for an assistant. */
            dealerCount: number | null;
            /** @description How many rows are in each state. */
            summary: components["schemas"]["Summary"];
            /** @description Miles to the dealership of the lowest ranked price: the lower bound of its distance band until it is unlocked or chosen. Null when no row is ranked. Null for an assistant. */
            lowestWrittenDistanceMiles: number | null;
            /** @description Display text: the dealerships the buyer chose. Two entries can be the same. An assistant always gets a description of the car. */
            chosenLabels: string[];
            /** @description Opaque ids of the rows. Their order has no meaning. */
            memberIds: string[];
        };
        /** @description The car as the dealership lists it. */
        ListedCar: {
            /** @description Model year. */
            year: number | null;
            /** @description Make. */
            make: string | null;
            /** @description Model. */
            model: string | null;
            /** @description Trim. */
            trim: string | null;
        };
        /** @description A request to one dealership. */
        SingleEntry: {
            /**
             * @description Distinguishes a request to one dealership from a deal set. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            kind: "single";
            /**
             * Format: uuid
             * @description Id of this request. It is not a `dealSetId`: a request to one dealership has only its entry in the list.
             */
            id: string;
            /** @description The car as the dealership lists it. */
            car: components["schemas"]["ListedCar"];
            /** @description Display text. The dealership’s name once the buyer has unlocked or chosen it; null until then. For an assistant, it is always the car’s year, model and trim; null when none of them is known. */
            dealerLabel: string | null;
            /**
             * @description `ready`: the dealership has finished and sent its offer, and not for a different car. `inactive`: the request has ended or is archived, and is off the buyer’s page. `in_progress`: otherwise, even if it has a written price.
             * @enum {string}
             */
            section: "ready" | "in_progress" | "inactive";
            /** @description The lowest written out-the-door price for the same car, US cents; null exactly when there is none. A price for a different car does not count. On a deal set: the lowest of the ranked rows; without one, of the ended rows for the same car; then of the archived rows for the same car. On a request to one dealership: its written price, also when the request has ended or is archived. */
            lowestWrittenOtdCents: number | null;
            /** @description How many items wait for the buyer; for a request to one dealership, 0 or 1. */
            needsYou: number;
            /**
             * Format: date-time
             * @description When the request changed last; null when unknown.
             */
            latestActivityAt: string | null;
            /** @description Present only on a `since` call of an assistant whose buyer was granted it. */
            changes?: components["schemas"]["Changes"];
        };
        /** @description The buyer’s requests, one summary each. */
        ListResponse: {
            /** @description One entry for each request. Skip entries of an unknown kind. */
            data: (components["schemas"]["DealSetEntry"] | components["schemas"]["SingleEntry"])[];
        };
        /** @description Branch on the code and the HTTP status, never on the message. */
        ErrorDetail: {
            /**
             * @description What went wrong. An open list: treat a code that you do not know by the class of its HTTP status. Known codes: `invalid_request` (400), `unauthenticated` (401), `insufficient_scope` (403), `forbidden` (403), `not_found` (404), `rate_limited` (429), `internal` (500), `auth_unverifiable` (503), `unavailable` (503).
             * @example invalid_request
             * @example unauthenticated
             * @example insufficient_scope
             * @example forbidden
             * @example not_found
             * @example rate_limited
             * @example internal
             * @example auth_unverifiable
             * @example unavailable
             */
            code: string;
            /** @description A constant text for people, one for each code and cause. It may change within a version. */
            message: string;
        };
        /** @description The body of every error response. */
        ErrorResponse: {
            error: components["schemas"]["ErrorDetail"];
        };
        /** @description A dealership’s question that waits for the buyer. */
        QuestionItem: {
            /**
             * @description Distinguishes a question from a draft. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            kind: "question";
            /** @description The key of the row that it belongs to. */
            rowKey: string;
            /** @description Display text: the row’s label. An assistant always gets a description of the car. */
            label: string;
            /** @description Opaque id of the prompt, when there is one. */
            promptId: string | null;
            /** @description What the question is about; an open set of values. */
            category: string;
            /** @description Display text: fixed words for the category, then the label. For an assistant the label is always the description of the car. */
            heading: string;
            /** @description Display text: the question in the dealership’s words. While the row is hidden, the text that the website has cleared for that time, or null without one: a client then shows the heading and the answer mode. Null for an assistant. */
            question: string | null;
            /** @description How it can be answered; an open set of values. */
            answerMode: string;
            /** @description The out-the-door price that the question refers to, US cents. */
            otdCents: number | null;
        };
        /** @description A reply that was drafted for the buyer and has not been sent. */
        DraftItem: {
            /**
             * @description Distinguishes a draft from a question. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            kind: "draft";
            /** @description The key of the row that it belongs to. */
            rowKey: string;
            /** @description Display text: the row’s label. An assistant always gets a description of the car. */
            label: string;
            /** @description Opaque id of the draft. */
            requestId: string;
            /** @description Display text: the beginning of the draft. While the row is hidden, the beginning of the text that the website has cleared for that time, or null without one. Null for an assistant. */
            preview: string | null;
            /** @description True only when the preview is the whole draft. While the row is hidden, the cleared text must equal the draft. False for an assistant. */
            previewComplete?: boolean;
        };
        /** @description Where the buyer searched. */
        Search: {
            /** @description The buyer’s search ZIP code. Null for an assistant. */
            buyerZip: string | null;
            /** @description The search radius in miles; null when unknown. Null for an assistant. */
            radiusMiles: number | null;
        };
        /** @description How many rows are in each state; archived rows are not counted. */
        Counts: {
            /** @description Ranked rows. */
            written: number;
            /** @description Rows without a written price yet. */
            waiting: number;
            /** @description Rows that answered for a different car. */
            differentCar: number;
            /** @description Rows whose thread has ended. */
            ended: number;
            /** @description Ended rows that have a price in writing, except rows for a different car. */
            endedWithPrice: number;
            /** @description Ended rows with the ending `closed_with_price`, except rows for a different car. */
            closedWithPrice: number;
            /** @description Items that wait for the buyer. */
            needsYou: number;
            /** @description How many dealerships the search found. Null for an assistant. */
            total: number | null;
        };
        /** @description The row with the lowest written price of all. */
        Hero: {
            /** @description The row’s key. */
            rowKey: string;
            /** @description Display text. The dealership’s name once the buyer has unlocked or chosen it, and a description of the car until then. Two rows can have the same label. An assistant always gets a description of the car. */
            label: string;
            /** @description Out-the-door price in writing, US cents. */
            otdCents: number;
            /** @description Selling price in writing, US cents. */
            sellingPriceCents: number | null;
            /** @description Out-the-door price less selling price, US cents; null unless both are known and the difference is not negative. */
            taxesAndFeesCents: number | null;
            /** @description The listing’s list price, US cents. */
            listedAtCents: number | null;
            /**
             * Format: date-time
             * @description When the price was given in writing.
             */
            writtenAt: string | null;
            /** @description Miles to the dealership. Until it is unlocked or chosen, the lower bound of its distance band (0, 10, 25, 50 or 100). Null for an assistant. */
            distanceMiles: number | null;
            /**
             * @description The distance band. Null for an assistant.
             * @enum {string|null}
             */
            distanceBand: "Under 10 miles" | "10 to 25 miles" | "25 to 50 miles" | "50 to 100 miles" | "Over 100 miles" | null;
            /** @description Trim as the listing gives it. */
            trim: string | null;
            /** @description Difference from the second-lowest price of its group, US cents; null when the group has one row. */
            gapToNextCents: number | null;
            /** @description Whether its row may be chosen. */
            canChoose: boolean;
            /** @description Whether its row may be unlocked. */
            canUnlock: boolean;
            /** @description Whether the buyer chose its dealership. */
            chosen: boolean;
        };
        /** @description One dealership’s answer within a deal set. */
        Row: {
            /** @description Identifies the row. Refer to a row by this key, never by its label. */
            rowKey: string;
            /** @description Display text. The dealership’s name once the buyer has unlocked or chosen it, and a description of the car until then. Two rows can have the same label. An assistant always gets a description of the car. */
            label: string;
            /** @description Whether the dealership’s name is hidden, because the buyer has neither unlocked nor chosen it. */
            hidden: boolean;
            /** @description Whether the buyer chose this dealership. */
            chosen: boolean;
            /** @description Whether the buyer archived the row. */
            archived: boolean;
            /**
             * @description State of the dealership’s answer.
             * @enum {string}
             */
            state: "written" | "waiting" | "different_car" | "ended";
            /**
             * @description How the thread ended; null while it has not ended.
             * @enum {string|null}
             */
            ended: "sold" | "closed_with_price" | "no_price" | "timed_out" | null;
            /** @description Display text for the state. */
            statusLabel: string;
            /** @description Out-the-door price in writing, US cents. */
            otdCents: number | null;
            /** @description Selling price in writing, before taxes and fees, US cents. */
            sellingPriceCents: number | null;
            /** @description The listing’s list price, US cents; never an offer. */
            listedAtCents: number | null;
            /**
             * Format: date-time
             * @description When the price was given in writing.
             */
            writtenAt: string | null;
            /** @description Difference from the lowest price of the row’s own group (not of the deal set), US cents: 0 for that price itself, null on rows that are not ranked. */
            gapToLowestCents: number | null;
            /** @description Whether the row may be chosen: unlocked, not chosen, priced in writing for the same car, and not archived. It can be true although the row or the deal set has ended. */
            canChoose: boolean;
            /** @description Whether the row may be unlocked: hidden, priced in writing for the same car, and not archived. It can be true although the row or the deal set has ended. */
            canUnlock: boolean;
            /** @description Trim as the listing gives it. */
            quotedTrim: string | null;
            /** @description Miles to the dealership. Until it is unlocked or chosen, the lower bound of its distance band (0, 10, 25, 50 or 100). Null for an assistant. */
            distanceMiles: number | null;
            /**
             * @description The distance band. Null for an assistant.
             * @enum {string|null}
             */
            distanceBand: "Under 10 miles" | "10 to 25 miles" | "25 to 50 miles" | "50 to 100 miles" | "Over 100 miles" | null;
            /** @description Path of the row on the website; null while the dealership is hidden. */
            priceCheckHref: string | null;
            /** @description True for a Verified partner: a dealership that pays the service a subscription and has agreed to honor its written price while the car is available, if the buyer qualifies for the rebates, incentives and financing in that price. Show those conditions with it. False can also mean that the status is not known yet, so do not present it as “not a partner”. The status can change without an entry in a `since` call: read the deal set again before you show `true`. Left out for a hosted assistant. */
            isVerifiedPartner?: boolean;
        };
        /** @description Rows of one trim, lowest price first. */
        RankedGroup: {
            /** @description Trim as the listings give it. */
            trim: string | null;
            /** @description Rows with a written price for the same car, lowest first. */
            rows: components["schemas"]["Row"][];
        };
        /** @description The rows that are not ranked, by state. */
        EveryoneElse: {
            /** @description No written price yet. */
            waiting: components["schemas"]["Row"][];
            /** @description Answered for a different car. */
            differentCar: components["schemas"]["Row"][];
            /** @description The thread has ended. */
            ended: components["schemas"]["Row"][];
            /** @description Archived rows, in any state. */
            archived: components["schemas"]["Row"][];
        };
        /** @description One deal set with its ranked results. */
        DealSetResult: {
            /**
             * Format: uuid
             * @description Id of the deal set.
             */
            dealSetId: string;
            /** @description The car the buyer asked for. */
            car: components["schemas"]["RequestedCar"];
            /** @description Where the buyer searched. */
            search: components["schemas"]["Search"];
            /** @description How many rows are in each state. */
            counts: components["schemas"]["Counts"];
            /** @description Display text: a one-line summary. Null for an assistant. */
            headerLine: string | null;
            /** @description The lowest written price of all; null when nothing is ranked. */
            hero: components["schemas"]["Hero"] | null;
            /** @description Groups by trim, the group with the lowest price first. */
            ranked: components["schemas"]["RankedGroup"][];
            /** @description Items that wait for the buyer, oldest first. */
            needsYou: (components["schemas"]["QuestionItem"] | components["schemas"]["DraftItem"])[];
            /** @description The rows that are not ranked. */
            everyoneElse: components["schemas"]["EveryoneElse"];
        };
        /** @description One deal set with its ranked results. */
        DealSetResponse: {
            /** @description The deal set. */
            data: components["schemas"]["DealSetResult"];
        };
    };
    responses: never;
    parameters: never;
    requestBodies: never;
    headers: never;
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    listDealSets: {
        parameters: {
            query?: {
                /** @description Only requests with activity after this time, such as `2026-10-14T16:00:00Z`. Encode a `+` as `%2B`. */
                since?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The requests. */
            200: {
                headers: {
                    /** @description The response is for this caller only. */
                    "Cache-Control": "private, no-store";
                    /** @description Revision of the interface. */
                    "Service-API-Version": "2026-10-13";
                    /** @description Identifies this request in the service’s log. */
                    "Service-Request-Id": string;
                    /** @description The rate class and its limit of `q` requests per window of `w` seconds (an IETF draft): `"read";q=120;w=60`. */
                    "RateLimit-Policy": string;
                    /** @description The caller has `r` requests left in the rate class. More become available within `t` seconds: `"read";r=117;t=60`. */
                    RateLimit: string;
                    /** @description Only with `since`: the time to pass as `since` on the next call. While `Service-More` is `true`, it is the time of the last change on the page. Otherwise, it is slightly before the time of the read, with two exceptions. If an entry of this last page has `could_not_check`, it repeats your `since`. On a read replica, and while a change to the buyer’s requests is being committed, it is the time of the newest change that the read saw, or `since` if that is later. If `since` is in the future, it is then the time of the newest change, or 1970 for a buyer without requests. */
                    "Service-As-Of"?: string;
                    /** @description Whether requests were left out: active requests on a plain call, changed requests with `since`. */
                    "Service-More": "true" | "false";
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ListResponse"];
                };
            };
            /** @description The request is not valid. */
            400: {
                headers: {
                    /** @description The response is for this caller only. */
                    "Cache-Control": "private, no-store";
                    /** @description Revision of the interface. */
                    "Service-API-Version": "2026-10-13";
                    /** @description Identifies this request in the service’s log. */
                    "Service-Request-Id": string;
                    /** @description The rate class and its limit of `q` requests per window of `w` seconds (an IETF draft): `"read";q=120;w=60`. Only on a response that passed the rate check. */
                    "RateLimit-Policy"?: string;
                    /** @description The caller has `r` requests left in the rate class. More become available within `t` seconds: `"read";r=117;t=60`. Only on a response that passed the rate check. */
                    RateLimit?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description No credential, or one that is not valid: signed out, expired, revoked, or not an access token of this service. */
            401: {
                headers: {
                    /** @description The response is for this caller only. */
                    "Cache-Control": "private, no-store";
                    /** @description Revision of the interface. */
                    "Service-API-Version": "2026-10-13";
                    /** @description Identifies this request in the service’s log. */
                    "Service-Request-Id": string;
                    /** @description The rate class and its limit of `q` requests per window of `w` seconds (an IETF draft): `"read";q=120;w=60`. Only on a response that passed the rate check. */
                    "RateLimit-Policy"?: string;
                    /** @description The caller has `r` requests left in the rate class. More become available within `t` seconds: `"read";r=117;t=60`. Only on a response that passed the rate check. */
                    RateLimit?: string;
                    /** @description The bearer challenge (RFC 6750); with 403 it names the scope that is needed. */
                    "WWW-Authenticate": string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The credential does not hold `offers:read`. */
            403: {
                headers: {
                    /** @description The response is for this caller only. */
                    "Cache-Control": "private, no-store";
                    /** @description Revision of the interface. */
                    "Service-API-Version": "2026-10-13";
                    /** @description Identifies this request in the service’s log. */
                    "Service-Request-Id": string;
                    /** @description The rate class and its limit of `q` requests per window of `w` seconds (an IETF draft): `"read";q=120;w=60`. Only on a response that passed the rate check. */
                    "RateLimit-Policy"?: string;
                    /** @description The caller has `r` requests left in the rate class. More become available within `t` seconds: `"read";r=117;t=60`. Only on a response that passed the rate check. */
                    RateLimit?: string;
                    /** @description The bearer challenge (RFC 6750); with 403 it names the scope that is needed. */
                    "WWW-Authenticate": string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description No such resource, or not the caller’s, or the endpoint is not turned on for the caller. */
            404: {
                headers: {
                    /** @description The response is for this caller only. */
                    "Cache-Control": "private, no-store";
                    /** @description Revision of the interface. */
                    "Service-API-Version": "2026-10-13";
                    /** @description Identifies this request in the service’s log. */
                    "Service-Request-Id": string;
                    /** @description The rate class and its limit of `q` requests per window of `w` seconds (an IETF draft): `"read";q=120;w=60`. Only on a response that passed the rate check. */
                    "RateLimit-Policy"?: string;
                    /** @description The caller has `r` requests left in the rate class. More become available within `t` seconds: `"read";r=117;t=60`. Only on a response that passed the rate check. */
                    RateLimit?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The caller has used up the rate class `read`. A request after `Retry-After` is admitted. */
            429: {
                headers: {
                    /** @description The response is for this caller only. */
                    "Cache-Control": "private, no-store";
                    /** @description Revision of the interface. */
                    "Service-API-Version": "2026-10-13";
                    /** @description Identifies this request in the service’s log. */
                    "Service-Request-Id": string;
                    /** @description The rate class and its limit of `q` requests per window of `w` seconds (an IETF draft): `"read";q=120;w=60`. */
                    "RateLimit-Policy": string;
                    /** @description The caller has `r` requests left in the rate class. More become available within `t` seconds: `"read";r=117;t=60`. */
                    RateLimit: string;
                    /** @description Whole seconds to wait. */
                    "Retry-After": number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description A failure of the service. Nothing is returned. */
            500: {
                headers: {
                    /** @description The response is for this caller only. */
                    "Cache-Control": "private, no-store";
                    /** @description Revision of the interface. */
                    "Service-API-Version": "2026-10-13";
                    /** @description Identifies this request in the service’s log. */
                    "Service-Request-Id": string;
                    /** @description The rate class and its limit of `q` requests per window of `w` seconds (an IETF draft): `"read";q=120;w=60`. Only on a response that passed the rate check. */
                    "RateLimit-Policy"?: string;
                    /** @description The caller has `r` requests left in the rate class. More become available within `t` seconds: `"read";r=117;t=60`. Only on a response that passed the rate check. */
                    RateLimit?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The sign-in could not be confirmed, which is not the same as signed out. The service is unavailable. Nothing is returned. Try again after `Retry-After`, or back off. */
            503: {
                headers: {
                    /** @description The response is for this caller only. */
                    "Cache-Control": "private, no-store";
                    /** @description Revision of the interface. */
                    "Service-API-Version": "2026-10-13";
                    /** @description Identifies this request in the service’s log. */
                    "Service-Request-Id": string;
                    /** @description The rate class and its limit of `q` requests per window of `w` seconds (an IETF draft): `"read";q=120;w=60`. Only on a response that passed the rate check. */
                    "RateLimit-Policy"?: string;
                    /** @description The caller has `r` requests left in the rate class. More become available within `t` seconds: `"read";r=117;t=60`. Only on a response that passed the rate check. */
                    RateLimit?: string;
                    /** @description Whole seconds to wait, when known. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    getDealSet: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description A `dealSetId`. Any other value results in 404. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The deal set. */
            200: {
                headers: {
                    /** @description The response is for this caller only. */
                    "Cache-Control": "private, no-store";
                    /** @description Revision of the interface. */
                    "Service-API-Version": "2026-10-13";
                    /** @description Identifies this request in the service’s log. */
                    "Service-Request-Id": string;
                    /** @description The rate class and its limit of `q` requests per window of `w` seconds (an IETF draft): `"read";q=120;w=60`. */
                    "RateLimit-Policy": string;
                    /** @description The caller has `r` requests left in the rate class. More become available within `t` seconds: `"read";r=117;t=60`. */
                    RateLimit: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DealSetResponse"];
                };
            };
            /** @description No credential, or one that is not valid: signed out, expired, revoked, or not an access token of this service. */
            401: {
                headers: {
                    /** @description The response is for this caller only. */
                    "Cache-Control": "private, no-store";
                    /** @description Revision of the interface. */
                    "Service-API-Version": "2026-10-13";
                    /** @description Identifies this request in the service’s log. */
                    "Service-Request-Id": string;
                    /** @description The rate class and its limit of `q` requests per window of `w` seconds (an IETF draft): `"read";q=120;w=60`. Only on a response that passed the rate check. */
                    "RateLimit-Policy"?: string;
                    /** @description The caller has `r` requests left in the rate class. More become available within `t` seconds: `"read";r=117;t=60`. Only on a response that passed the rate check. */
                    RateLimit?: string;
                    /** @description The bearer challenge (RFC 6750); with 403 it names the scope that is needed. */
                    "WWW-Authenticate": string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The credential does not hold `offers:read`. */
            403: {
                headers: {
                    /** @description The response is for this caller only. */
                    "Cache-Control": "private, no-store";
                    /** @description Revision of the interface. */
                    "Service-API-Version": "2026-10-13";
                    /** @description Identifies this request in the service’s log. */
                    "Service-Request-Id": string;
                    /** @description The rate class and its limit of `q` requests per window of `w` seconds (an IETF draft): `"read";q=120;w=60`. Only on a response that passed the rate check. */
                    "RateLimit-Policy"?: string;
                    /** @description The caller has `r` requests left in the rate class. More become available within `t` seconds: `"read";r=117;t=60`. Only on a response that passed the rate check. */
                    RateLimit?: string;
                    /** @description The bearer challenge (RFC 6750); with 403 it names the scope that is needed. */
                    "WWW-Authenticate": string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description No such resource, or not the caller’s, or the endpoint is not turned on for the caller. */
            404: {
                headers: {
                    /** @description The response is for this caller only. */
                    "Cache-Control": "private, no-store";
                    /** @description Revision of the interface. */
                    "Service-API-Version": "2026-10-13";
                    /** @description Identifies this request in the service’s log. */
                    "Service-Request-Id": string;
                    /** @description The rate class and its limit of `q` requests per window of `w` seconds (an IETF draft): `"read";q=120;w=60`. Only on a response that passed the rate check. */
                    "RateLimit-Policy"?: string;
                    /** @description The caller has `r` requests left in the rate class. More become available within `t` seconds: `"read";r=117;t=60`. Only on a response that passed the rate check. */
                    RateLimit?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The caller has used up the rate class `read`. A request after `Retry-After` is admitted. */
            429: {
                headers: {
                    /** @description The response is for this caller only. */
                    "Cache-Control": "private, no-store";
                    /** @description Revision of the interface. */
                    "Service-API-Version": "2026-10-13";
                    /** @description Identifies this request in the service’s log. */
                    "Service-Request-Id": string;
                    /** @description The rate class and its limit of `q` requests per window of `w` seconds (an IETF draft): `"read";q=120;w=60`. */
                    "RateLimit-Policy": string;
                    /** @description The caller has `r` requests left in the rate class. More become available within `t` seconds: `"read";r=117;t=60`. */
                    RateLimit: string;
                    /** @description Whole seconds to wait. */
                    "Retry-After": number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description A failure of the service. Nothing is returned. */
            500: {
                headers: {
                    /** @description The response is for this caller only. */
                    "Cache-Control": "private, no-store";
                    /** @description Revision of the interface. */
                    "Service-API-Version": "2026-10-13";
                    /** @description Identifies this request in the service’s log. */
                    "Service-Request-Id": string;
                    /** @description The rate class and its limit of `q` requests per window of `w` seconds (an IETF draft): `"read";q=120;w=60`. Only on a response that passed the rate check. */
                    "RateLimit-Policy"?: string;
                    /** @description The caller has `r` requests left in the rate class. More become available within `t` seconds: `"read";r=117;t=60`. Only on a response that passed the rate check. */
                    RateLimit?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The sign-in could not be confirmed, which is not the same as signed out. The service is unavailable. Nothing is returned. Try again after `Retry-After`, or back off. */
            503: {
                headers: {
                    /** @description The response is for this caller only. */
                    "Cache-Control": "private, no-store";
                    /** @description Revision of the interface. */
                    "Service-API-Version": "2026-10-13";
                    /** @description Identifies this request in the service’s log. */
                    "Service-Request-Id": string;
                    /** @description The rate class and its limit of `q` requests per window of `w` seconds (an IETF draft): `"read";q=120;w=60`. Only on a response that passed the rate check. */
                    "RateLimit-Policy"?: string;
                    /** @description The caller has `r` requests left in the rate class. More become available within `t` seconds: `"read";r=117;t=60`. Only on a response that passed the rate check. */
                    RateLimit?: string;
                    /** @description Whole seconds to wait, when known. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
}
