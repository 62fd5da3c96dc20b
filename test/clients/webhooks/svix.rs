use std::io::{Read, stdin};
use svix::webhooks::Webhook;

/// Verifies the webhook in stdin: its headers as JSON in the first line, then its body.
fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut received = String::new();
    stdin().read_to_string(&mut received)?;
    let (head, body) = received.split_once('\n').ok_or("no body")?;
    let names: std::collections::HashMap<String, String> = serde_json::from_str(head)?;
    let headers = http::HeaderMap::try_from(&names)?;
    Webhook::new(&std::env::var("HAUL_WEBHOOK_SECRET")?)?.verify(body.as_bytes(), &headers)?;
    println!("{body}");
    Ok(())
}
