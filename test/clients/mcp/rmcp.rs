use rmcp::{
    ServiceExt,
    model::CallToolRequestParams,
    transport::{StreamableHttpClientTransport, streamable_http_client::StreamableHttpClientTransportConfig},
};

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let (url, key) = (std::env::var("HAUL_URL")?, std::env::var("HAUL_API_KEY")?);
    let config = StreamableHttpClientTransportConfig::with_uri(format!("{url}/mcp")).auth_header(key);
    let client = ().serve(StreamableHttpClientTransport::from_config(config)).await?;
    let arguments = serde_json::json!({ "url": std::env::args().nth(1) });
    let call = CallToolRequestParams::new("transcribe").with_arguments(arguments.as_object().unwrap().clone());
    println!("{} tools", client.list_all_tools().await?.len());
    println!("{}", serde_json::to_string(&client.call_tool(call).await?)?);
    client.cancel().await?;
    Ok(())
}
