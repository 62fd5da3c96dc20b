use async_openai::{Client, config::OpenAIConfig, types::audio::CreateTranscriptionRequestArgs};

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let (url, key) = (std::env::var("HAUL_URL")?, std::env::var("HAUL_API_KEY")?);
    let config = OpenAIConfig::new().with_api_base(format!("{url}/v1")).with_api_key(key);
    let request = CreateTranscriptionRequestArgs::default().file("talk.mp3").model("whisper-1").build()?;
    let transcript = Client::with_config(config).audio().transcription().create(request).await?;
    println!("{}", transcript.text);
    Ok(())
}
