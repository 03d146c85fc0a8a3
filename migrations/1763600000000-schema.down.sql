DROP TABLE reply, draft, question, price_check, deal_set, assistant_grant, buyer_session, dealership, buyer;
DROP FUNCTION child_takes_request();
DROP DOMAIN cents, token, short_text, car_year, miles;
